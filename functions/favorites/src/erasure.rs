//! Deletes the favorites, tags and idempotency keys of a deleted user, from the table of favorites.
//!
//! A consistent `Query` of each partition finds the items, and a `DeleteItem` deletes each.
//!
//! Nothing is written there under the name any more, because the transactions of all functions that
//! write favorites and tags check that there is no `Deletion`. So the order of the steps does not
//! matter, and neither do the counts. The tags on a favorite are the exception: only the favorite
//! tells where they are, so they go first.

use std::cell::Cell;

use shared::dynamodb::Item;
use shared::entities::{
    FAVORITE_SK, favorite_count_pk, favorites_pk, histories_pk, idempotency_keys_pk, tag_count_pk, tag_names_pk,
    tags_of_favorite_pk, tags_pk,
};
use shared::erasure::{delete_each, keys_of_partition};
use shared::values::{DataId, Username};
use shared::{Error, Table};
use tokio::time::Instant;

/// Deletes the favorites, tags and idempotency keys of a user. `index-favorite` deletes the terms
/// of each favorite. Returns whether it got to the end before the deadline.
pub async fn delete_of_user(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let mut is_complete = delete_favorites(table, owner, page_deadline).await?;
    for pk in [histories_pk, tags_pk, tag_names_pk, tag_count_pk, favorite_count_pk, idempotency_keys_pk] {
        is_complete &= delete_partition(table, pk(owner), page_deadline).await?;
    }
    Ok(is_complete)
}

/// Deletes the favorites, each after the entries of its tags. Returns whether all are deleted.
async fn delete_favorites(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let are_deleted = Cell::new(true);
    let is_last_page = delete_each(keys_of_partition(table, favorites_pk(owner)), page_deadline, async |favorite| {
        let tags = tags_of_favorite_pk(owner, &data_id_of(&favorite)?);
        if delete_partition(table, tags, page_deadline).await? {
            delete_item(table, favorite).await
        } else {
            are_deleted.set(false);
            Ok(())
        }
    })
    .await?;
    Ok(is_last_page && are_deleted.get())
}

/// Deletes all items of a partition. Returns whether it got to the end before the deadline.
async fn delete_partition(table: &Table, pk: String, page_deadline: Instant) -> Result<bool, Error> {
    delete_each(keys_of_partition(table, pk), page_deadline, async |key| delete_item(table, key).await).await
}

async fn delete_item(table: &Table, key: Item) -> Result<(), Error> {
    table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await?;
    Ok(())
}

/// Reads the id of a favorite from the sort key.
fn data_id_of(item: &Item) -> Result<DataId, Error> {
    let sk = item.get(FAVORITE_SK).and_then(|sk| sk.as_s().ok());
    sk.and_then(|id| id.parse().ok())
        .ok_or_else(|| Error::internal("the sort key of a favorite is not the id of a favorite"))
}
