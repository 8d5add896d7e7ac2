//! Deletes the friendships of a deleted user, and decrements the counts of the other users.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction;
use shared::model::entity;
use shared::model::photos::{Deletion, FRIEND_PREFIX, Friendship, INVERTED_INDEX, Key, friend_sk, user_pk};
use shared::values::Username;
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::{delete, delete_each};

/// Deletes the friendships in which others follow the user.
pub(crate) async fn delete_followers(
    table: &Table,
    deletion: &Deletion,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let followers = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :friends)")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":friends", S(FRIEND_PREFIX.to_owned()));
    delete_each(followers, page_deadline, async |item| {
        let friendship: Friendship = entity::from_item(item.clone())?;
        let decrement_following = decrement(table, &friendship.following_user, "following")?;
        transaction::delete_and_decrement(&table.client, vec![(delete(table, item)?, vec![decrement_following])]).await
    })
    .await
}

/// Deletes the friendships in which the user follows others.
pub(crate) async fn delete_following(
    table: &Table,
    deletion: &Deletion,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let following = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&deletion.erasing)));
    delete_each(following, page_deadline, async |item| {
        let friendship: Friendship = entity::from_item(item.clone())?;
        let decrement_followers = decrement(table, &friendship.followed_user, "followers")?;
        transaction::delete_and_decrement(&table.client, vec![(delete(table, item)?, vec![decrement_followers])]).await
    })
    .await
}

/// Builds an update that decrements a count of a user, on the condition that the user exists and the count is greater than
/// zero.
fn decrement(table: &Table, username: &Username, count: &str) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(username).into()))
        .condition_expression("attribute_exists(username) AND #count > :zero")
        .update_expression("SET #count = #count - :one")
        .expression_attribute_names("#count", count)
        .expression_attribute_values(":zero", N("0".to_owned()))
        .expression_attribute_values(":one", N("1".to_owned()));
    Ok(update.build()?)
}
