//! Deletes the friendships of a deleted user, and decrements the counts of the other users.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::transaction;
use shared::model::entity;
use shared::model::photos::{
    Deletion, FRIEND_PREFIX, Friendship, INVERTED_INDEX, decrement_followers, decrement_following, friend_sk, user_pk,
};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::{delete, delete_each};

/// Deletes the friendships in which others follow the user. Returns whether another pass is needed.
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
        let decrement = decrement_following(&table.name, &friendship.following_user)?;
        transaction::delete_and_decrement(&table.client, vec![(delete(table, item)?, vec![decrement])]).await
    })
    .await
}

/// Deletes the friendships in which the user follows others. Returns whether another pass is needed.
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
        let decrement = decrement_followers(&table.name, &friendship.followed_user)?;
        transaction::delete_and_decrement(&table.client, vec![(delete(table, item)?, vec![decrement])]).await
    })
    .await
}
