//! `DELETE /users/{username}/photos/{timestamp}/comments/{comment}`: deletes a comment of the
//! caller, or one on a photo of the caller.
//!
//! One `TransactWriteItems` deletes the comment, decrements the photo's count of comments and that
//! of the author, and checks that the caller's name is not that of another account. If there is
//! nothing to decrement, because the photo is deleted or a count is zero, a second one checks that
//! instead. If the photo's count does not include the comment yet, because it has the mark
//! `uncounted`, a second one leaves this count as it is. A repeated request changes nothing.

use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::Account;
use shared::photos::{counted_comment, delete_counted};
use shared::values::{CommentId, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_comment).await
}

async fn delete_comment(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let id: CommentId = path(&request, "comment")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be_either(&id.author, &username)?;

    let comment = counted_comment(&table.name, &id, &username, &timestamp);
    let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
    delete_counted(&table, vec![comment], Some(&account.guard())).await?;
    Ok(answer::no_content())
}
