//! The requests of [`DeleteComment`]:
//!
//! One `TransactWriteItems` deletes the comment, decrements the photo's count of comments and that
//! of the author, and checks that the caller's name is not that of another account. If there is
//! nothing to decrement, because the photo is deleted or a count is zero, a second one checks that
//! instead. If the photo's count does not include the comment yet, because it has the mark
//! `uncounted`, a second one leaves this count as it is. A repeated request changes nothing.

use shared::entities::account::Account;
use shared::entities::{counted_comment, delete_counted};
use shared::http::answer;
#[cfg(feature = "schema")]
use shared::http::describe::{Callers, Operation};
use shared::http::extract::{FromRequest, Path};
use shared::http::request::Caller;
use shared::values::{CommentId, PhotoId, Username};
use shared::{Error, ErrorKind, Process, Request, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteComment {
    table: Table,
}

/// The caller, who must be the author of the comment in the path, or the owner of the photo.
/// Everybody else gets 403.
pub struct AuthorOrOwner {
    owner: Username,
    comment: CommentId,
    caller: Caller,
}

impl FromRequest for AuthorOrOwner {
    fn from_request(request: &Request) -> Result<Self, Error> {
        let (Path(owner), Path(comment), caller) = <(Path<Username>, Path<CommentId>, Caller)>::from_request(request)?;
        caller.must_be_either(&comment.author, &owner)?;
        Ok(Self { owner, comment, caller })
    }

    #[cfg(feature = "schema")]
    fn describe(operation: &mut Operation<'_>) {
        <(Path<Username>, Path<CommentId>, Caller)>::describe(operation);
        operation.callers(Callers::Either);
    }
}

impl Route for DeleteComment {
    const NAME: &'static str = "delete-comment";
    const ROUTE: &'static str = "DELETE /users/{username}/photos/{photo}/comments/{comment}";
    const SUMMARY: &'static str = "Deletes a comment of the caller, or one on a photo of the caller.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("There is no such comment on the photo.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<PhotoId>, AuthorOrOwner);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(id), AuthorOrOwner { owner, comment, caller }): Self::Input,
    ) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let comment = counted_comment(&table.name, &comment, &owner, &id);
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        delete_counted(table, vec![comment], Some(&account.guard())).await?;
        Ok(answer::no_content())
    }
}
