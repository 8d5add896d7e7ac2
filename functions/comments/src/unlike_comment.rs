//! One `TransactWriteItems` deletes the like, decrements the likes of the comment, and checks that
//! the caller's name is not that of another account. If there is nothing to decrement, because the
//! comment is deleted or its count is zero, a second one checks that instead. A repeated request
//! changes nothing.

use shared::entities::account::Account;
use shared::entities::{Key, counted_like, delete_counted};
use shared::http::answer;
use shared::http::extract::Path;
use shared::http::request::Caller;
use shared::values::{CommentId, PhotoId, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct UnlikeComment {
    table: Table,
}

impl Route for UnlikeComment {
    const NAME: &'static str = "unlike-comment";
    const ROUTE: &'static str = "DELETE /users/{username}/photos/{photo}/comments/{comment}/like";
    const SUMMARY: &'static str = "Removes the caller's like from a comment or a reply.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller does not like the comment.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Username>, Path<PhotoId>, Path<CommentId>, Caller);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(username), Path(photo), Path(comment), caller): Self::Input,
    ) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let like = counted_like(&table.name, Key::like(&caller.username, &comment, &username, &photo).into())?;
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        delete_counted(table, vec![like], Some(&account.guard())).await?;
        Ok(answer::no_content())
    }
}
