//! `PUT /users/{username}/photos/{timestamp}/reactions/{type}`: adds the caller's reaction to a
//! photo.
//!
//! One `TransactWriteItems` puts the reaction, checks that the caller has a profile of the caller's
//! account, adds the reaction to the caller's engagement with the photo in `<stage>.Feed`, and
//! increments the photo's count of that type, on the condition that the photo is ready. A repeated
//! request changes nothing and returns the existing reaction.
//!
//! If the photo takes more writes than one item can, the transaction conflicts or is throttled each
//! time. Then an eventually consistent `GetItem` reads the photo, and another `TransactWriteItems`
//! puts the reaction without the count, with the mark `uncounted`. `process-changes` adds it to the
//! count.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem};
use shared::dynamodb::entity;
use shared::dynamodb::transaction::Outcome;
use shared::dynamodb::{Item, transaction};
use shared::feed::{self, engage_by_reaction};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{Key, Reaction, ReactionToPhoto, is_ready, mark_uncounted, photo_sk, update_ready_photo};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions of the items of both transactions, by which their failed conditions are known. The
/// engagement, at position 2, has no condition. Only the first transaction has the photo.
const REACTION: usize = 0;
const CALLER: usize = 1;
const PHOTO: usize = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run(|table, request| add_reaction(table, &feed, request)).await
}

async fn add_reaction(table: Table, feed: &str, request: Request) -> Result<Response<ReactionToPhoto>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let reaction_type: ReactionType = path(&request, "type")?;
    let caller = Caller::from_request(&request)?;

    let reaction = Reaction {
        reacting_user: caller.username.clone(),
        reaction_type,
        photo: photo_sk(&username, &timestamp),
        timestamp: Timestamp::now(),
    };
    let item = entity::to_item(Key::reaction(&caller.username, reaction_type, &username, &timestamp), &reaction)?;
    let check_caller = check_caller(&table, &caller)?;
    let engagement = feed::Key::engagement(&caller.username, &username, &timestamp);
    let engage = engage_by_reaction(feed, engagement, reaction_type)?;
    let counted = table
        .client
        .transact_write_items()
        .client_request_token(transaction::new_token())
        .transact_items(put_reaction(&table, item.clone())?)
        .transact_items(check_caller.clone())
        .transact_items(engage.clone())
        .transact_items(increment_count(&table, &username, &timestamp, reaction_type)?);
    let outcome = match transaction::write_unless_contended(counted.clone()).await? {
        Some(outcome) => outcome,
        None if is_ready(&table, &username, &timestamp).await? => {
            let uncounted = table
                .client
                .transact_write_items()
                .transact_items(put_reaction(&table, mark_uncounted(item))?)
                .transact_items(check_caller)
                .transact_items(engage);
            transaction::write(uncounted).await?
        }
        // The read may be out of date, so the condition of the transaction decides.
        None => transaction::write(counted).await?,
    };

    match outcome {
        Outcome::Committed => {
            let Reaction { reacting_user, reaction_type, timestamp, .. } = reaction;
            answer::created(&ReactionToPhoto { reacting_user, reaction_type, timestamp })
        }
        Outcome::ConditionFailed(failed) if failed.contains(PHOTO) => Err(Error::no_photo(&username, &timestamp)),
        Outcome::ConditionFailed(mut failed) => {
            if failed.contains(CALLER) {
                let user = failed.take_item(CALLER);
                return Err(refusal(user.as_ref(), &caller.username, &caller.subject)
                    .unwrap_or_else(|| Error::no_user(&caller.username)));
            }
            let existing = failed.take_item(REACTION).unwrap_or_default();
            answer::ok(&entity::from_item::<ReactionToPhoto>(existing)?)
        }
    }
}

fn put_reaction(table: &Table, reaction: Item) -> Result<TransactWriteItem, Error> {
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(reaction))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().put(put).build())
}

fn check_caller(table: &Table, caller: &Caller) -> Result<TransactWriteItem, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression(OF_ACCOUNT)
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().condition_check(check).build())
}

fn increment_count(
    table: &Table,
    username: &Username,
    timestamp: &Timestamp,
    reaction_type: ReactionType,
) -> Result<TransactWriteItem, Error> {
    let update = update_ready_photo(&table.name, username, timestamp)
        .update_expression("SET reactions.#type = if_not_exists(reactions.#type, :zero) + :one")
        .expression_attribute_names("#type", reaction_type.as_ref())
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}
