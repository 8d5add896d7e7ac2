//! Mends what was found, each by one transaction whose conditions say that it is still as it was found.
//!
//! A single write would do for some. It can meet somebody else's transaction too, and is refused then, which the SDK
//! does not try again; [`transaction::write`] does.

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, TransactWriteItem, Update};
use shared::Table;
use shared::items::Item;
use shared::photos::{Key, user_pk};
use shared::transaction::{self, Outcome};
use shared::values::Username;

use super::Error;
use super::entity::{key, reaction_key};
use super::finding::{Finding, PhotoIs};

/// Mends a finding. False if it is not any more as it was found, and nothing was written.
pub(super) async fn mend(table: &Table, finding: &Finding) -> Result<bool, Error> {
    match finding {
        Finding::Shapeless { .. } => Ok(false),
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
            write(table, vec![deleting(table, photo)?, gone(table, Key::user(username))?]).await
        }
        Finding::Reaction { reacting, reaction, photo, user_is_gone, photo_is } => {
            let mut parts = vec![deleting(table, reaction_key(reacting, *reaction, photo))?];
            if *user_is_gone {
                parts.push(gone(table, Key::user(reacting))?);
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
                parts.push(gone(table, Key::user(followed))?);
            }
            // A transaction may name an item once, and nobody knows that this friendship is not one with oneself.
            if *following_is_gone && following != followed {
                parts.push(gone(table, Key::user(following))?);
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
            write(table, vec![updating(unpin)?, gone(table, key(user_pk(username), photo.clone()))?]).await
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

/// Writes `parts`, and takes one off a count with them. Where there is nothing to take off, that count is wrong anyhow
/// and a finding of its own, so `parts` are written without it.
async fn delete_counted(
    table: &Table,
    mut parts: Vec<TransactWriteItem>,
    count: Option<UpdateBuilder>,
) -> Result<bool, Error> {
    let Some(count) = count else {
        return write(table, parts).await;
    };
    let without = parts.clone();
    parts.push(updating(count)?);
    match transaction::write(table.client.transact_write_items().set_transact_items(Some(parts))).await? {
        Outcome::Written => Ok(true),
        Outcome::Refused(refusal) if (0..without.len()).any(|index| refusal.failed(index)) => Ok(false),
        Outcome::Refused(_) => write(table, without).await,
    }
}

async fn write(table: &Table, parts: Vec<TransactWriteItem>) -> Result<bool, Error> {
    let transaction = table.client.transact_write_items().set_transact_items(Some(parts));
    Ok(matches!(transaction::write(transaction).await?, Outcome::Written))
}

fn update(table: &Table, key: Key) -> UpdateBuilder {
    Update::builder().table_name(&table.name).set_key(Some(key.into()))
}

fn updating(update: UpdateBuilder) -> Result<TransactWriteItem, BuildError> {
    Ok(TransactWriteItem::builder().update(update.build()?).build())
}

fn one_fewer(table: &Table, username: &Username, count: &str) -> UpdateBuilder {
    update(table, Key::user(username))
        .condition_expression("attribute_exists(username) AND #count > :zero")
        .update_expression("SET #count = #count - :one")
        .expression_attribute_names("#count", count)
        .expression_attribute_values(":zero", number(0))
        .expression_attribute_values(":one", number(1))
}

/// A value that no expression uses is refused.
fn if_it_says(update: UpdateBuilder, says: Option<i64>) -> UpdateBuilder {
    match says {
        Some(says) => update.expression_attribute_values(":says", number(says)),
        None => update,
    }
}

fn deleting(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    let delete = Delete::builder().table_name(&table.name).set_key(Some(key.into()));
    let delete = delete.condition_expression("attribute_exists(PK)").build()?;
    Ok(TransactWriteItem::builder().delete(delete).build())
}

/// Nothing is there. Neither is a deletion, whose pass might be at work on the same.
fn gone(table: &Table, key: impl Into<Item>) -> Result<TransactWriteItem, BuildError> {
    let check = ConditionCheck::builder().table_name(&table.name).set_key(Some(key.into()));
    let check = check.condition_expression("attribute_not_exists(PK)").build()?;
    Ok(TransactWriteItem::builder().condition_check(check).build())
}

fn number(number: i64) -> aws_sdk_dynamodb::types::AttributeValue {
    N(number.to_string())
}

#[cfg(test)]
mod tests;
