//! One `TransactWriteItems` replaces the photo with a `PhotoDeletion`, on the condition that the
//! photo exists ([`replace_with_photo_deletion`]), and checks that the name is not that of another
//! account. From then on no answer shows the photo. It can have more reactions than one request can
//! delete, so `finish-deletion` deletes them, from the table's stream, and the `PhotoDeletion`
//! last. A repeated request changes nothing.

use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::replace_with_photo_deletion;
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::PhotoId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct DeletePhoto {
    table: Table,
}

impl Route for DeletePhoto {
    const NAME: &'static str = "delete-photo";
    const ROUTE: &'static str = "DELETE /users/{username}/photos/{photo}";
    const SUMMARY: &'static str = "Deletes a photo of the caller.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("There is no such photo. Its comments and reactions are deleted within minutes.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<PhotoId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Path(id)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let username = &caller.username;

        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        let replace = replace_with_photo_deletion(&table.name, username, &id).build()?;
        let mut transaction = Transaction::new();
        transaction.update(replace);
        let check = transaction.condition_check(account.check()?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            account.require(&failed, check)?;
            // Otherwise the photo does not exist, or a `PhotoDeletion` has replaced it already.
        }
        Ok(answer::no_content())
    }
}
