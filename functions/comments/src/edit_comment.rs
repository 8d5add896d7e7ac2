//! One `TransactWriteItems` updates the comment, on the condition that it exists and no moderator
//! has removed it, and checks that the caller's name is not that of another account and that nobody
//! blocks the caller. If somebody does, another one checks that it is neither the owner of the photo
//! nor the author of the comment that a reply answers. A transaction returns no item, so the answer
//! has what the id of the comment and the request tell, and neither the likes nor the replies nor the pin.

use crate::text::Text;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, Update};
use shared::access::Access;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::{FREE_FOR_ACCOUNT, refusal};
use shared::entities::{Comment, Key};
use shared::http::answer;
#[cfg(feature = "schema")]
use shared::http::describe::{Callers, Operation};
use shared::http::extract::{Body, FromRequest, Path};
use shared::http::request::Caller;
use shared::show::ShownComment;
use shared::values::{CommentId, PhotoId, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Request, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The caller, who must be the author of the comment in the path. Everybody else gets 403.
pub struct Author {
    id: CommentId,
    caller: Caller,
}

impl FromRequest for Author {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let (Path(id), caller) = <(Path<CommentId>, Caller)>::from_request(request)?;
        caller.must_be(&id.author)?;
        Ok(Self { id, caller })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        <(Path<CommentId>, Caller)>::describe(operation);
        operation.callers(Callers::Owner);
    }
}

/// The route.
pub struct EditComment {
    table: Table,
}

impl Route for EditComment {
    const NAME: &'static str = "edit-comment";
    const ROUTE: &'static str = "PATCH /users/{username}/photos/{photo}/comments/{comment}";
    const SUMMARY: &'static str = "Changes the text of a comment of the caller. The answer leaves out `likes`, `replies` and `pinned`, which stay.";
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::CommentRemoved, ErrorKind::NoComment, ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Username>, Path<PhotoId>, Author, Body<Text>);
    type Body = ShownComment;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(username), Path(photo), Author { id, caller }, Body(Text(text))): Self::Input,
    ) -> Result<Response<ShownComment>, Error> {
        let Self { table } = self;
        let edited = Timestamp::now();

        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::comment(&id, &username, &photo).into()))
            .condition_expression("attribute_exists(author) AND attribute_not_exists(removed)")
            .update_expression("SET #text = :text, edited = :now")
            .expression_attribute_names("#text", "text")
            .expression_attribute_values(":text", S(text.to_string()))
            .expression_attribute_values(":now", S(edited.to_string()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        let access = Access::new(&table.name, &caller.username, &username, &photo);
        let mut access = id.reply_to.as_ref().map_or(access, |answered| access.to_comment(answered));
        loop {
            let mut transaction = Transaction::new();
            let comment = transaction.update(update.clone());
            let author = transaction.condition_check(access.check_caller(FREE_FOR_ACCOUNT, &caller.subject)?);
            access.add_checks(&mut transaction)?;
            let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else { break };
            let user = failed.item(author);
            if failed.contains(author)
                && let Some(refusal) = refusal(user, &caller.username, &caller.subject)
            {
                return Err(refusal);
            }
            if failed.item(comment).is_some_and(|comment| comment.contains_key("removed")) {
                let detail = "A moderator has removed this comment, so its text cannot change.";
                return Err(Error::refused(ErrorKind::CommentRemoved, detail));
            }
            // Once it is known that somebody blocks the caller, the checks say whether the owner does.
            if !access.learn(user, None) {
                return Err(Error::no_comment(&id));
            }
        }
        answer::ok(&Comment { edited: Some(edited), ..Comment::new(id, text.into()) }.into())
    }
}
