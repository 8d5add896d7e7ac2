//! Deletes the friendships of a deleted user, the requests to follow, the blocks, the reports and
//! the complaints, and decrements the counts of the other users.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    AFTER_FRIENDS, ASK_PREFIX, BLOCKED_BY, BLOCKS, Block, CountedItem, Deletion, FollowRequest, Friendship,
    INVERTED_INDEX, Key, Kind, MUTES, REQUESTS_SENT, ask_sk, block_sk, delete_counted, friend_sk, user_pk,
};
use shared::values::Level;
use shared::{Error, Table};
use tokio::time::Instant;

use crate::finish_deletion::items::{delete, delete_each, delete_in_transactions, for_each_page, key_of};
use crate::finish_deletion::reports;

/// The maximum number of followed users of one transaction, each with the friendship and the user
/// who counts it.
///
/// A transaction could take twice as many. But any concurrent write to one of these users conflicts
/// with all of it, so the transactions that include a very popular user should be short.
const MAX_TRANSACTION_FRIENDSHIPS: usize = 20;
/// The maximum number of requests of one transaction, which has no other user.
const MAX_TRANSACTION_REQUESTS: usize = 50;

/// Deletes the friendships in which others follow the user, their requests to follow, the user's
/// blocks and mutes, the reports about the user, and the user's complaints, which lie side by side.
/// Returns whether it got to the end before the deadline.
///
/// The `Deletion` counts no followers, so it does not matter which of them are uncounted. One that
/// follow-user writes uncounted after this is deleted by `process-changes`.
pub(crate) async fn delete_followers(
    table: &Table,
    deletion: &Deletion,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let followers = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND SK BETWEEN :asks AND :after")
        .expression_attribute_values(":user", S(user_pk(&deletion.erasing)))
        .expression_attribute_values(":asks", S(ASK_PREFIX.to_owned()))
        .expression_attribute_values(":after", S(AFTER_FRIENDS.to_owned()))
        .consistent_read(true);
    delete_each(followers, page_deadline, async |item| {
        let counted = match Kind::of(&item) {
            Some(Kind::Report) => return reports::delete_report(table, item, page_deadline).await,
            Some(Kind::Complaint) => return reports::delete_complaint(table, item).await,
            Some(Kind::Friendship) => {
                Some((entity::from_item::<Friendship>(item.clone())?.following_user, "following"))
            }
            Some(Kind::Block) => {
                let Block { blocked_user, level, .. } = entity::from_item(item.clone())?;
                (level == Level::Block).then_some((blocked_user, BLOCKED_BY))
            }
            _ => Some((entity::from_item::<FollowRequest>(item.clone())?.asking_user, REQUESTS_SENT)),
        };
        let decrements = counted.map(|(user, count)| Decrement::new(&table.name, Key::user(&user), count));
        let delete = (delete(table, item)?, decrements.into_iter().collect());
        counter::delete_and_decrement(&table.client, vec![delete], None).await?;
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
            delete_counted(table, items, None).await.map(drop)
        })
        .await
    })
    .await
}

/// Deletes the requests of the user to follow others, as far as the index shows them, and
/// decrements the count of the `Deletion`, if it has one. Returns whether it got to the end before
/// the deadline.
pub(crate) async fn delete_requests(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
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
        let decrement = Decrement::new(&table.name, Key::user(&deletion.erasing), REQUESTS_SENT);
        let deletes = page.into_iter().map(|item| Ok((delete(table, item)?, vec![decrement.clone()])));
        let deletes = deletes.collect::<Result<_, Error>>()?;
        delete_in_transactions(deletes, MAX_TRANSACTION_REQUESTS, async |deletes| {
            counter::delete_and_decrement(&table.client, deletes, None).await.map(drop)
        })
        .await
    })
    .await
}

/// Deletes the blocks and mutes of the user by others, as far as the index shows them, and
/// decrements the counts of the others and of the `Deletion`. Returns whether it got to the end
/// before the deadline. The `Deletion` does not count mutes: the last sweep deletes those that the
/// index did not show.
pub(crate) async fn delete_blocks_of_others(
    table: &Table,
    deletion: &Deletion,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let blocks = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :block")
        .expression_attribute_values(":block", S(block_sk(&deletion.erasing)));
    for_each_page(blocks, page_deadline, async |page: Vec<Item>| {
        for entry in page {
            let Block { blocking_user, level, .. } = entity::from_item(entry.clone())?;
            let user = Key::user(&blocking_user);
            let decrements = match level {
                Level::Mute => vec![Decrement::new(&table.name, user, MUTES)],
                Level::Block => vec![
                    Decrement::new(&table.name, user, BLOCKS),
                    Decrement::new(&table.name, Key::user(&deletion.erasing), BLOCKED_BY),
                ],
            };
            counter::delete_and_decrement(
                &table.client,
                vec![(delete_at_level(table, entry, level)?, decrements)],
                None,
            )
            .await?;
        }
        Ok(())
    })
    .await
}

/// Builds a delete of a block, on the condition that it still has the level of its entry in the
/// index.
fn delete_at_level(table: &Table, entry: Item, level: Level) -> Result<Delete, Error> {
    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(key_of(entry)))
        .condition_expression("#level = :level")
        .expression_attribute_names("#level", "level")
        .expression_attribute_values(":level", S(level.to_string()));
    Ok(delete.build()?)
}
