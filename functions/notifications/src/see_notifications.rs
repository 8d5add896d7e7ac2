//! One `TransactWriteItems` updates the time, unless it is later already, and checks that the
//! caller's profile is of the caller's account. So two windows can send their times in any order,
//! and a repeated request changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, Update};
use serde::Serialize;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::Key;
use shared::entities::account::Account;
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::Fields;
use shared::values::{Time, Timestamp};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The time up to which the inbox is seen.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct Seen {
    /// The time up to which the caller has seen the inbox. It is later than that of the request if
    /// the caller has seen more already.
    until: Time,
}

/// The route.
pub struct SeeNotifications {
    table: Table,
    feed: Table,
}

impl Route for SeeNotifications {
    const NAME: &'static str = "see-notifications";
    const ROUTE: &'static str = "PUT /users/{username}/notifications/seen";
    const SUMMARY: &'static str = "Notes up to when the caller has seen their inbox.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Body<Until>);
    type Body = Seen;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, feed: process.table("FEED_TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Body(Until(until))): Self::Input) -> Result<Response<Seen>, Error> {
        let Self { table, feed } = self;
        let username = &caller.username;
        let until = Timestamp::from(until);
        if until > Timestamp::now() {
            return Err(Error::invalid("until", "must not be in the future; use the `changed` of a notification"));
        }

        let update = Update::builder()
            .table_name(&feed.name)
            .set_key(Some(Key::seen(username).into()))
            .condition_expression("attribute_not_exists(seen) OR seen < :until")
            .update_expression("SET seen = :until")
            .expression_attribute_values(":until", S(until.to_string()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        let mut transaction = Transaction::new();
        let seen = transaction.update(update);
        let profile = transaction.condition_check(account.check_profile()?);
        let failed = match transaction.write(&table.client).await? {
            Outcome::Committed => return answer::ok(&Seen { until: until.into() }),
            Outcome::ConditionFailed(failed) => failed,
        };
        account.require(&failed, profile)?;
        let stored: Option<Timestamp> = failed.item(seen).and_then(|item| item.get("seen")?.as_s().ok()?.parse().ok());
        answer::ok(&Seen { until: stored.unwrap_or(until).into() })
    }
}

/// The time until which the caller has seen the notifications.
pub struct Until(Time);

impl FromFields for Until {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let until = fields.required("until");
        fields.finish()?;
        until.map(Self)
    }
}
