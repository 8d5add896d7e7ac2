//! Deletes the blocks and mutes of a deleted user, those by the user and those by others, and
//! decrements the counts of the other users.
//!
//! - finish-deletion finds the blocks and mutes by the user, beside other items. A
//!   `TransactWriteItems` deletes each.
//! - A `Query` of `InvertedIndex` finds the blocks and mutes by others, and a `TransactWriteItems`
//!   deletes each.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::Delete;
use shared::dynamodb::counter::{self, Decrement};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    BLOCKED_BY, BLOCKS, Block, Deletion, INVERTED_INDEX, Key, MUTES, block_sk, from_inverted_index,
};
use shared::erasure::{delete_existing, for_each_page, key_of};
use shared::values::Level;
use shared::{Error, Table};
use tokio::time::Instant;

/// Deletes a block or a mute by the user, and decrements the count of the blocked user. No count
/// includes a mute but that of the user.
pub async fn delete_own(table: &Table, item: Item) -> Result<(), Error> {
    let Block { blocked_user, level, .. } = entity::from_item(item.clone())?;
    let decrement = (level == Level::Block).then(|| Decrement::new(&table.name, Key::user(&blocked_user), BLOCKED_BY));
    let delete = (delete_existing(table, item)?, decrement.into_iter().collect());
    counter::delete_and_decrement(&table.client, vec![delete], None).await?;
    Ok(())
}

/// Deletes the blocks and mutes of the user by others, as far as the index shows them, and
/// decrements the counts of the others and of the `Deletion`. Returns whether it got to the end
/// before the deadline. The `Deletion` does not count mutes: the last sweep deletes those that the
/// index did not show.
pub async fn delete_of_others(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let blocks = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :block")
        .expression_attribute_values(":block", S(block_sk(&deletion.erasing)));
    for_each_page(blocks, page_deadline, async |page: Vec<Item>| {
        for entry in page {
            let Block { blocking_user, level, .. } = entity::from_item(from_inverted_index(entry.clone()))?;
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
