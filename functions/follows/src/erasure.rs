//! Deletes the friendships of a deleted user and the requests to follow, and decrements the counts
//! of the other users.
//!
//! - finish-deletion finds the followers of the user and their requests, beside other items. A
//!   `TransactWriteItems` deletes each, and decrements the count of the other user.
//! - A `Query` of `InvertedIndex` finds the users whom the user follows, and `TransactWriteItems`
//!   deletes up to 20 friendships.
//! - If the `Deletion` counts requests to follow others, a `Query` of `InvertedIndex` finds them,
//!   and `TransactWriteItems` deletes up to 20 of them.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    CountedItem, Deletion, FollowRequest, Friendship, INVERTED_INDEX, Key, REQUESTS_RECEIVED, REQUESTS_SENT, ask_sk,
    asked_user, delete_counted, friend_sk, from_inverted_index,
};
use shared::erasure::{delete_existing, delete_in_transactions, for_each_page, key_of};
use shared::values::Username;
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of friendships or requests of one transaction, each with the other user who
/// counts it.
///
/// A transaction could take twice as many. But any concurrent write to one of these users conflicts
/// with all of it, so the transactions that include a very popular user should be short.
const MAX_TRANSACTION_ITEMS: usize = 20;

/// Deletes a friendship in which another user follows the user, and decrements the other user's
/// count of followed users.
///
/// The `Deletion` counts no followers, so it does not matter whether the friendship is uncounted. A
/// friendship that follow-user writes uncounted after this is deleted by `process-changes`.
pub async fn delete_follower(table: &Table, item: Item) -> Result<(), Error> {
    let Friendship { following_user, .. } = entity::from_item(item.clone())?;
    delete_of_other(table, item, &following_user, "following").await
}

/// Deletes a request of another user to follow the user, and decrements the other user's count of
/// requests.
pub async fn delete_received_request(table: &Table, item: Item) -> Result<(), Error> {
    let FollowRequest { asking_user, .. } = entity::from_item(item.clone())?;
    delete_of_other(table, item, &asking_user, REQUESTS_SENT).await
}

/// Deletes an item that another user counts, and decrements the count.
async fn delete_of_other(table: &Table, item: Item, other: &Username, count: &'static str) -> Result<(), Error> {
    let decrement = Decrement::new(&table.name, Key::user(other), count);
    let delete = (delete_existing(table, item)?, vec![decrement]);
    counter::delete_and_decrement(&table.client, vec![delete], None).await?;
    Ok(())
}

/// Deletes the friendships in which the user follows others, as far as the index shows them.
/// Decrements the counts of the others, and of the `Deletion`. Returns whether it got to the end
/// before the deadline.
pub async fn delete_following(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let following = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&deletion.erasing)));
    for_each_page(following, page_deadline, async |page: Vec<Item>| {
        let items = page.into_iter().map(|item| {
            let friendship: Friendship = entity::from_item(from_inverted_index(item.clone()))?;
            // Some old friendships are of a user with themself. A Deletion has no followers to
            // decrement.
            let is_of_other = friendship.followed_user != deletion.erasing;
            Ok(CountedItem {
                key: key_of(item),
                if_counted: is_of_other
                    .then(|| Decrement::new(&table.name, Key::user(&friendship.followed_user), "followers")),
                always: vec![Decrement::new(&table.name, Key::user(&deletion.erasing), "following")],
                dependents: &[],
            })
        });
        let items = items.collect::<Result<_, Error>>()?;
        delete_in_transactions(items, MAX_TRANSACTION_ITEMS, async |items| {
            delete_counted(table, items, None).await.map(drop)
        })
        .await
    })
    .await
}

/// Deletes the requests of the user to follow others, as far as the index shows them, and
/// decrements the counts of the asked users and of the `Deletion`, if it has one. Returns whether it
/// got to the end before the deadline.
pub async fn delete_sent_requests(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    if deletion.requests_sent == 0 {
        return Ok(true);
    }
    let sent = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :ask")
        .expression_attribute_values(":ask", S(ask_sk(&deletion.erasing)));
    for_each_page(sent, page_deadline, async |page: Vec<Item>| {
        let sent = Decrement::new(&table.name, Key::user(&deletion.erasing), REQUESTS_SENT);
        let deletes = page.into_iter().map(|item| {
            let received = Decrement::new(&table.name, Key::user(&asked_user(&item)?), REQUESTS_RECEIVED);
            Ok((delete_existing(table, item)?, vec![sent.clone(), received]))
        });
        let deletes = deletes.collect::<Result<_, Error>>()?;
        delete_in_transactions(deletes, MAX_TRANSACTION_ITEMS, async |deletes| {
            counter::delete_and_decrement(&table.client, deletes, None).await.map(drop)
        })
        .await
    })
    .await
}
