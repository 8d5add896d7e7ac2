//! The updates that decrement the counts of photos and users. They accompany the deletes of what is counted.
//!
//! [`delete_and_decrement`](crate::dynamodb::transaction::delete_and_decrement) drops an update whose condition fails.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::Update;

use super::keys::Key;
use crate::Error;
use crate::values::{ReactionType, Timestamp, Username};

/// Returns the update that decrements a photo's count of the reactions of one type. Its condition fails if there is
/// nothing to decrement: the photo does not exist, or its count is 0.
pub fn decrement_reaction_count(
    table_name: &str,
    username: &Username,
    timestamp: &Timestamp,
    reaction_type: ReactionType,
) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::photo(username, timestamp).into()))
        .condition_expression("reactions.#type > :zero")
        .update_expression("SET reactions.#type = reactions.#type - :one")
        .expression_attribute_names("#type", reaction_type.as_ref())
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(update)
}

/// Returns the update that decrements a user's count of followers. Its condition fails if there is nothing to
/// decrement: the user does not exist or is being deleted, or the count is 0.
pub fn decrement_followers(table_name: &str, username: &Username) -> Result<Update, Error> {
    decrement(
        table_name,
        username,
        "attribute_exists(username) AND followers > :zero",
        "SET followers = followers - :one",
    )
}

/// Returns the update that decrements the count of the users whom a user follows. Its condition fails if there is
/// nothing to decrement: the user does not exist or is being deleted, or the count is 0.
pub fn decrement_following(table_name: &str, username: &Username) -> Result<Update, Error> {
    decrement(
        table_name,
        username,
        "attribute_exists(username) AND following > :zero",
        "SET following = following - :one",
    )
}

fn decrement(table_name: &str, username: &Username, condition: &str, update: &str) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(Key::user(username).into()))
        .condition_expression(condition)
        .update_expression(update)
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
    Ok(update)
}
