//! `DELETE /users/{username}/photos/{timestamp}`: deletes a photo of the caller.
//!
//! One `TransactWriteItems` replaces the photo with a `PhotoDeletion`, on the condition that the
//! photo exists ([`replace_with_photo_deletion`]), and checks that the name is not that of another
//! account. From then on no answer shows the photo. It can have more reactions than one request can
//! delete, so `finish-deletion` deletes them, from the table's stream, and the `PhotoDeletion`
//! last. A repeated request changes nothing.

use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::Account;
use shared::photos::replace_with_photo_deletion;
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_photo).await
}

async fn delete_photo(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;

    let account = Account { table_name: &table.name, username: &username, subject: &caller.subject };
    let replace = replace_with_photo_deletion(&table.name, &username, &timestamp).build()?;
    let mut transaction = Transaction::new();
    transaction.update(replace);
    let check = transaction.check(account.check()?);
    if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
        account.require(&failed, check)?;
        // Otherwise the photo does not exist, or a `PhotoDeletion` has replaced it already.
    }
    Ok(answer::no_content())
}
