//! Deletes the friendships of a deleted user, and decrements the counts of the other users.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::{Item, entity};
use shared::photos::{
    CountedItem, Deletion, Friendship, INVERTED_INDEX, Key, delete_counted, friend_sk, query_followers,
};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::{delete, delete_each, delete_in_transactions, for_each_page, key_of};

/// The maximum number of followed users of one transaction, each with the friendship and the user
/// who counts it.
///
/// A transaction could take twice as many. But any concurrent write to one of these users conflicts
/// with all of it, so the transactions that include a very popular user should be short.
const MAX_TRANSACTION_FRIENDSHIPS: usize = 20;

/// Deletes the friendships in which others follow the user. Returns whether it got to the end
/// before the deadline.
///
/// The `Deletion` counts no followers, so it does not matter which of them are uncounted. One that
/// follow-user writes uncounted after this is deleted by `process-changes`.
pub(crate) async fn delete_followers(
    table: &Table,
    deletion: &Deletion,
    page_deadline: Instant,
) -> Result<bool, Error> {
    delete_each(query_followers(table, &deletion.erasing), page_deadline, async |item| {
        let friendship: Friendship = entity::from_item(item.clone())?;
        let decrement = Decrement::new(&table.name, Key::user(&friendship.following_user), "following");
        counter::delete_and_decrement(&table.client, vec![(delete(table, item)?, vec![decrement])], None).await?;
        Ok(())
    })
    .await
}

/// Deletes the friendships in which the user follows others, as far as the index shows them.
/// Decrements the counts of the others, and of the `Deletion`. Returns whether it got to the end
/// before the deadline.
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
    for_each_page(following, page_deadline, async |page: Vec<Item>| {
        let items = page.into_iter().map(|item| {
            let friendship: Friendship = entity::from_item(item.clone())?;
            // Some old friendships are of a user with themself. A Deletion has no followers to
            // decrement.
            let is_of_other = friendship.followed_user != deletion.erasing;
            Ok(CountedItem {
                key: key_of(item),
                if_counted: is_of_other
                    .then(|| Decrement::new(&table.name, Key::user(&friendship.followed_user), "followers")),
                always: Some(Decrement::new(&table.name, Key::user(&deletion.erasing), "following")),
            })
        });
        let items = items.collect::<Result<_, Error>>()?;
        delete_in_transactions(items, MAX_TRANSACTION_FRIENDSHIPS, async |items| {
            delete_counted(table, items, None).await
        })
        .await
    })
    .await
}
