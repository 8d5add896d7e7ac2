//! Mends what was found in `quick-photos`.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::TransactWriteItem;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use shared::Table;
use shared::dynamodb::Item;
use shared::model::photos::{Key, user_pk};
use shared::values::Username;

use super::Photos;
use super::entity::reaction_key;
use super::finding::{Finding, PhotoIs};
use crate::audit::Error;
use crate::audit::read::key;
use crate::audit::write;
use crate::audit::write::{check, checking, delete, delete_counted, if_it_says, number, update, updating, write};

/// Mends a finding. False if it is not any more as it was found, and nothing was written.
pub(super) async fn mend(table: &Table, finding: &Finding) -> Result<bool, Error> {
    match finding {
        Finding::Deletion(deletion) => {
            let touch = update(table, Key::user(&deletion.erasing))
                .condition_expression("since = :since")
                .update_expression("ADD passes :one")
                .expression_attribute_values(":since", S(deletion.since.to_string()))
                .expression_attribute_values(":one", number(1));
            write(table, vec![updating(touch)?]).await
        }
        Finding::Photo { username, timestamp } => {
            let photo = Key::photo(username, timestamp);
            write(table, vec![deleting(table, photo)?, absent(table, Key::user(username))?]).await
        }
        Finding::Reaction { reacting, reaction, photo, user_is_gone, photo_is } => {
            let mut parts = vec![deleting(table, reaction_key(reacting, *reaction, photo))?];
            if *user_is_gone {
                parts.push(absent(table, Key::user(reacting))?);
            }
            let count = match photo_is {
                PhotoIs::There(username, timestamp) => Some(
                    update(table, Key::photo(username, timestamp))
                        .condition_expression("reactions.#type > :zero")
                        .update_expression("SET reactions.#type = reactions.#type - :one")
                        .expression_attribute_names("#type", reaction.as_ref())
                        .expression_attribute_values(":zero", number(0))
                        .expression_attribute_values(":one", number(1)),
                ),
                PhotoIs::Gone | PhotoIs::Shapeless => None,
            };
            delete_counted(table, parts, count).await
        }
        Finding::Friendship { followed, following, followed_is_gone, following_is_gone } => {
            let mut parts = vec![deleting(table, Key::friendship(followed, following))?];
            if *followed_is_gone {
                parts.push(absent(table, Key::user(followed))?);
            }
            // A transaction may name an item once, and nobody knows that this friendship is not one with oneself.
            if *following_is_gone && following != followed {
                parts.push(absent(table, Key::user(following))?);
            }
            let count = match (followed_is_gone, following_is_gone) {
                (true, false) => Some(one_fewer(table, following, "following")),
                (false, true) => Some(one_fewer(table, followed, "followers")),
                _ => None,
            };
            delete_counted(table, parts, count).await
        }
        Finding::Pin { username, photo } => {
            let unpin = update(table, Key::user(username))
                .condition_expression("pinnedImage = :photo")
                .update_expression("REMOVE pinnedImage")
                .expression_attribute_values(":photo", S(photo.clone()));
            write(table, vec![updating(unpin)?, absent(table, key::<Photos>((user_pk(username), photo.clone())))?])
                .await
        }
        Finding::UserCount { username, count, says, there_are } => {
            let set = update(table, Key::user(username))
                .condition_expression(match says {
                    Some(_) => "attribute_exists(username) AND #count = :says",
                    None => "attribute_exists(username) AND attribute_not_exists(#count)",
                })
                .update_expression("SET #count = :right")
                .expression_attribute_names("#count", count.attribute())
                .expression_attribute_values(":right", number(*there_are));
            write(table, vec![updating(if_it_says(set, *says))?]).await
        }
        Finding::PhotoCount { username, timestamp, reaction, says, there_are } => {
            let set = update(table, Key::photo(username, timestamp))
                .condition_expression(match says {
                    Some(_) => "reactions.#type = :says",
                    None => "attribute_exists(reactions) AND attribute_not_exists(reactions.#type)",
                })
                .update_expression("SET reactions.#type = :right")
                .expression_attribute_names("#type", reaction.as_ref())
                .expression_attribute_values(":right", number(*there_are));
            write(table, vec![updating(if_it_says(set, *says))?]).await
        }
    }
}

fn one_fewer(table: &Table, username: &Username, count: &str) -> UpdateBuilder {
    update(table, Key::user(username))
        .condition_expression("attribute_exists(username) AND #count > :zero")
        .update_expression("SET #count = #count - :one")
        .expression_attribute_names("#count", count)
        .expression_attribute_values(":zero", number(0))
        .expression_attribute_values(":one", number(1))
}

fn deleting(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    write::deleting(delete(table, key).condition_expression("attribute_exists(PK)"))
}

/// Nothing is there. Neither is a deletion, whose pass might be at work on the same.
fn absent(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    checking(check(table, key).condition_expression("attribute_not_exists(PK)"))
}

#[cfg(test)]
mod tests;
