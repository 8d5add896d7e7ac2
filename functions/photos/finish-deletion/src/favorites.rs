//! Deletes the favorites, tags and idempotency keys of a deleted user, from the table of favorites.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::model::favorites;
use shared::model::favorites::{
    favorites_pk, histories_pk, idempotency_keys_pk, tag_count_pk, tag_names_pk, tags_of_favorite_pk, tags_pk,
};
use shared::values::{DataId, Username};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::delete_each;

/// Deletes the favorites, tags and idempotency keys of a user. `index-favorite` deletes the terms of each favorite.
/// Returns whether it got to the end before the deadline.
///
/// A token of the user stays valid for a while, and a concurrent request may move a favorite to its history, or back.
/// If the favorites were deleted first and the histories next, a restore in between would escape. In the other order,
/// an unclip would. So the histories are deleted before the favorites and after them.
pub(crate) async fn delete_all(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let mut is_complete = delete_partition(table, histories_pk(owner), page_deadline).await?;
    let favorites = query_keys(table, favorites_pk(owner));
    is_complete &= delete_each(favorites, page_deadline, async |key| {
        let tags = tags_of_favorite_pk(owner, &data_id_of(&key)?);
        // Without its favorite, the next pass would not find the tags that are left. So the favorite stays as well.
        if delete_partition(table, tags, page_deadline).await? { delete_item(table, key).await } else { Ok(()) }
    })
    .await?;
    for pk in
        [histories_pk(owner), tags_pk(owner), tag_names_pk(owner), tag_count_pk(owner), idempotency_keys_pk(owner)]
    {
        is_complete &= delete_partition(table, pk, page_deadline).await?;
    }
    Ok(is_complete)
}

/// Deletes all items of a partition. Returns whether it got to the end before the deadline.
async fn delete_partition(table: &Table, pk: String, page_deadline: Instant) -> Result<bool, Error> {
    delete_each(query_keys(table, pk), page_deadline, async |key| delete_item(table, key).await).await
}

/// Builds a consistent query for the keys of all items of a partition.
fn query_keys(table: &Table, pk: String) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :partition")
        .expression_attribute_values(":partition", S(pk))
        .projection_expression("pk, sk")
        .consistent_read(true)
}

async fn delete_item(table: &Table, key: Item) -> Result<(), Error> {
    table.client.delete_item().table_name(&table.name).set_key(Some(key)).send().await?;
    Ok(())
}

/// Reads the id of a favorite from the sort key.
fn data_id_of(key: &Item) -> Result<DataId, Error> {
    let sk = key.get(favorites::SK).and_then(|sk| sk.as_s().ok());
    sk.and_then(|id| id.parse().ok())
        .ok_or_else(|| Error::internal("the sort key of a favorite is not the id of a favorite"))
}
