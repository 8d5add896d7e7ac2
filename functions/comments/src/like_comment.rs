//! One `TransactWriteItems` puts the like, checks that the caller has a profile of the caller's
//! account, increments the likes of the comment, on the condition that it is shown, and checks that
//! the photo is ready. A repeated request changes nothing and returns the existing like.
//!
//! The conditions also say that everyone may see the photo and nobody blocks the caller. If one of
//! them fails, another `TransactWriteItems` checks the friendship with the owner, or the blocks of
//! the owner, of the author and, for a reply, of the author of the answered comment ([`Access`]).

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::access::Access;
use shared::dynamodb::entity;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::{OF_ACCOUNT, refusal};
use shared::entities::{Key, LIKES_COUNT, Like, LikeOfComment};
use shared::http::answer;
use shared::http::extract::Path;
use shared::http::request::Caller;
use shared::values::{CommentId, PhotoId, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than two are needed only if the audience
/// of the photo or the blocks of the caller change between two of them.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct LikeComment {
    table: Table,
}

impl Route for LikeComment {
    const NAME: &'static str = "like-comment";
    const ROUTE: &'static str = "PUT /users/{username}/photos/{photo}/comments/{comment}/like";
    const SUMMARY: &'static str = "Adds the caller's like to a comment or a reply.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoComment, ErrorKind::NoPhoto, ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Username>, Path<PhotoId>, Path<CommentId>, Caller);
    type Body = LikeOfComment;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(username), Path(photo), Path(comment), caller): Self::Input,
    ) -> Result<Response<LikeOfComment>, Error> {
        let Self { table } = self;
        let like = Like { liking_user: caller.username.clone(), timestamp: Timestamp::now() };
        let put_like = Put::builder()
            .table_name(&table.name)
            .set_item(Some(entity::to_item(Key::like(&caller.username, &comment, &username, &photo), &like)?))
            .condition_expression("attribute_not_exists(PK)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        let increment_likes = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::comment(&comment, &username, &photo).into()))
            // A tombstone has no author.
            .condition_expression("attribute_exists(author) AND attribute_not_exists(removed)")
            .update_expression("ADD #likes :one")
            .expression_attribute_names("#likes", LIKES_COUNT)
            .expression_attribute_values(":one", N("1".to_owned()))
            .build()?;

        let mut access = Access::new(&table.name, &caller.username, &username, &photo).to_comment(&comment);
        for _ in 0..MAX_ATTEMPTS {
            let mut transaction = Transaction::new();
            let put = transaction.put(put_like.clone());
            let of_comment = transaction.update(increment_likes.clone());
            let user = transaction.condition_check(access.check_caller(OF_ACCOUNT, &caller.subject)?);
            let of_photo = transaction.condition_check(access.check_photo()?);
            let (checks_of_photo, checks_of_authors) = access.add_checks(&mut transaction)?;
            let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? else {
                return answer::created(&like.into());
            };
            if failed.contains(user)
                && let Some(refusal) = refusal(failed.item(user), &caller.username, &caller.subject)
            {
                return Err(refusal);
            }
            if access.learn(failed.item(user), failed.item(of_photo)) {
                continue;
            }
            // First of all, so that nobody learns of a comment on a photo that they do not see.
            if failed.contains(of_photo) || failed.contains_any(checks_of_photo) {
                return Err(Error::no_photo(&username, &photo));
            }
            let is_hidden = failed.contains(of_comment) || failed.contains_any(checks_of_authors);
            return match failed.item(put).filter(|_| !is_hidden) {
                Some(existing) => answer::ok(&entity::from_item(existing.clone())?),
                None => Err(Error::no_comment(&comment)),
            };
        }
        Err(Error::Busy("the access of the caller to the comment changed during each attempt".into()))
    }
}
