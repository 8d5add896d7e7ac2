//! `PUT /users/{username}/notifications/seen`: notes up to when the caller has seen their inbox.
//!
//! One `TransactWriteItems` updates the time, unless it is later already, and checks that the
//! caller's profile is of the caller's account. So two windows can send their times in any order,
//! and a repeated request changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{ReturnValuesOnConditionCheckFailure, Update};
use serde::Serialize;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::feed::Key;
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::photos::account::Account;
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run(|table: Table, request| {
        let feed = table.other(&feed);
        see_notifications(table, feed, request)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
struct Seen {
    /// The time up to which the caller has seen the inbox. It is later than that of the request if
    /// the caller has seen more already.
    until: Timestamp,
}

async fn see_notifications(table: Table, feed: Table, request: Request) -> Result<Response<Seen>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let mut fields = Fields::from_request(&request)?;
    let until = fields.required::<Timestamp>("until");
    fields.finish()?;
    let until = until?;
    if until > Timestamp::now() {
        return Err(Error::invalid("until", "must not be in the future; use the `changed` of a notification"));
    }

    let update = Update::builder()
        .table_name(&feed.name)
        .set_key(Some(Key::seen(&username).into()))
        .condition_expression("attribute_not_exists(seen) OR seen < :until")
        .update_expression("SET seen = :until")
        .expression_attribute_values(":until", S(until.to_string()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let account = Account { table_name: &table.name, username: &username, subject: &caller.subject };
    let mut transaction = Transaction::new();
    let seen = transaction.update(update);
    let profile = transaction.check(account.check_profile()?);
    let failed = match transaction.write(&table.client).await? {
        Outcome::Committed => return answer::ok(&Seen { until }),
        Outcome::ConditionFailed(failed) => failed,
    };
    account.require(&failed, profile)?;
    let stored = failed.item(seen).and_then(|item| item.get("seen")?.as_s().ok()?.parse().ok());
    answer::ok(&Seen { until: stored.unwrap_or(until) })
}
