//! One `TransactWriteItems` removes `alertsOf` from the friendship, and checks that the caller's profile
//! is of the caller's account. A repeated request changes nothing.

use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::Key;
use shared::entities::account::Account;
use shared::http::answer;
use shared::http::extract::Path;
use shared::values::Username;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::follower::OwnFollower;

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteAlerts {
    table: Table,
}

impl Route for DeleteAlerts {
    const NAME: &'static str = "delete-alerts";
    const ROUTE: &'static str = "DELETE /users/{username}/followers/{follower}/alerts";
    const SUMMARY: &'static str = "The caller is not told of new photos of a user any more.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The caller is not told of new photos of the user.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Path<Username>, OwnFollower);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(username), OwnFollower(caller)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::friendship(&username, &caller.username).into()))
            .condition_expression("attribute_exists(alertsOf)")
            .update_expression("REMOVE alertsOf")
            .build()?;
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        let mut transaction = Transaction::new();
        transaction.update(update);
        let profile = transaction.condition_check(account.check_profile()?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            account.require(&failed, profile)?;
        }
        Ok(answer::no_content())
    }
}
