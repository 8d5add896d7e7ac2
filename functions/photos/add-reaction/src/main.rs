//! `PUT /users/{username}/photos/{timestamp}/reactions/{type}`: adds the caller's reaction to a photo.
//!
//! One `TransactWriteItems` puts the reaction, increments the photo's count of that type, on the condition that
//! the photo is ready, and checks that the caller has a profile. A repeated request changes nothing and returns the existing reaction.

use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::photos::{Key, Reaction, ReactionToPhoto, photo_sk};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The positions of the transaction's items, by which its failed conditions are known.
const REACTION: usize = 0;
const PHOTO: usize = 1;
const CALLER: usize = 2;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(add_reaction).await
}

async fn add_reaction(table: Table, request: Request) -> Result<Response<ReactionToPhoto>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let reaction_type: ReactionType = path(&request, "type")?;
    let caller = Caller::of(&request)?;

    let reaction = Reaction {
        reacting_user: caller.username.clone(),
        reaction_type,
        photo: photo_sk(&username, &timestamp),
        timestamp: Timestamp::now(),
    };
    let put_reaction = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(
            Key::reaction(&caller.username, reaction_type, &username, &timestamp),
            &reaction,
        )?))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let increment_count = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&username, &timestamp).into()))
        // A `PhotoDeletion` has no `username`, and an older photo has no `picture`. Nobody but the owner sees a photo that is
        // not ready.
        .condition_expression(
            "attribute_exists(username) AND (attribute_not_exists(picture) OR picture.#status = :ready)",
        )
        .update_expression("SET reactions.#type = if_not_exists(reactions.#type, :zero) + :one")
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#type", reaction_type.as_ref())
        .expression_attribute_values(":ready", AttributeValue::S("ready".to_owned()))
        .expression_attribute_values(":zero", AttributeValue::N("0".to_owned()))
        .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
        .build()?;
    let check_caller = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression("attribute_exists(username)")
        .build()?;
    let transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put_reaction).build())
        .transact_items(TransactWriteItem::builder().update(increment_count).build())
        .transact_items(TransactWriteItem::builder().condition_check(check_caller).build());

    match transaction::write(transaction).await? {
        Outcome::Committed => {
            let Reaction { reacting_user, reaction_type, timestamp, .. } = reaction;
            answer::created(&ReactionToPhoto { reacting_user, reaction_type, timestamp })
        }
        Outcome::ConditionFailed(failed) if failed.contains(PHOTO) => Err(Error::no_photo(&username, &timestamp)),
        Outcome::ConditionFailed(failed) if failed.contains(CALLER) => Err(Error::no_user(&caller.username)),
        Outcome::ConditionFailed(mut failed) => {
            let existing = failed.take_item(REACTION).unwrap_or_default();
            answer::ok(&entity::from_item::<ReactionToPhoto>(existing)?)
        }
    }
}
