//! One `TransactWriteItems` sets `alertsOf` of the friendship, on the condition that the caller follows
//! the user, and checks that the caller's profile is of the caller's account. A repeated request
//! changes nothing.
//!
//! A user who does not exist, or who blocks the caller, has no friendship with the caller either, so
//! the answer does not tell them from a user whom the caller does not follow.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Update;
use serde::Serialize;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::Key;
use shared::entities::account::Account;
use shared::http::answer;
use shared::http::extract::Path;
use shared::values::Username;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::follower::OwnFollower;

#[cfg(test)]
mod tests;

/// Whether the caller is told of new photos of a user.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct Alerts {
    /// The user.
    username: Username,
    /// Always `true`.
    alerts: bool,
}

/// The route.
pub struct PutAlerts {
    table: Table,
}

impl Route for PutAlerts {
    const NAME: &'static str = "put-alerts";
    const ROUTE: &'static str = "PUT /users/{username}/followers/{follower}/alerts";
    const SUMMARY: &'static str = "The caller is told of each new photo of a user whom the caller follows.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::NotFollowing, ErrorKind::OtherAccount];

    type Input = (Path<Username>, OwnFollower);
    type Body = Alerts;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Path(username), OwnFollower(caller)): Self::Input) -> Result<Response<Alerts>, Error> {
        let Self { table } = self;
        let update = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::friendship(&username, &caller.username).into()))
            .condition_expression("attribute_exists(PK)")
            .update_expression("SET alertsOf = :username")
            .expression_attribute_values(":username", S(username.to_string()))
            .build()?;
        let account = Account { table_name: &table.name, username: &caller.username, subject: &caller.subject };
        let mut transaction = Transaction::new();
        transaction.update(update);
        let profile = transaction.condition_check(account.check_profile()?);
        if let Outcome::ConditionFailed(failed) = transaction.write(&table.client).await? {
            account.require(&failed, profile)?;
            let detail = "You do not follow this user. Follow the user first.";
            return Err(Error::refused(ErrorKind::NotFollowing, detail));
        }
        answer::ok(&Alerts { username, alerts: true })
    }
}
