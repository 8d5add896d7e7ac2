//! Deletes the favorites and tags of a deleted user, from the table of favorites.

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::model::favorites;
use shared::model::favorites::{favorites_pk, histories_pk, tag_count_pk, tag_names_pk, tags_of_favorite_pk, tags_pk};
use shared::values::{DataId, Username};
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::delete_each;

/// Deletes the favorites and tags of a user. `index-favorite` deletes the terms of each favorite. Returns whether
/// another pass is needed.
pub(crate) async fn delete_all(table: &Table, owner: &Username, page_deadline: Instant) -> Result<bool, Error> {
    let delete = async |key| delete_item(table, key).await;
    let favorites = query_keys(table, favorites_pk(owner));
    let mut needs_another_pass = delete_each(favorites, page_deadline, async |key| {
        let tags = query_keys(table, tags_of_favorite_pk(owner, &data_id_of(&key)?));
        delete_each(tags, page_deadline, delete).await?;
        // Tags may be left after the deadline. The next pass finds them only through the favorite, so it stays as well.
        if Instant::now() < page_deadline { delete(key).await } else { Ok(()) }
    })
    .await?;
    for pk in [histories_pk(owner), tags_pk(owner), tag_names_pk(owner), tag_count_pk(owner)] {
        needs_another_pass |= delete_each(query_keys(table, pk), page_deadline, delete).await?;
    }
    Ok(needs_another_pass)
}

/// Builds a query for the keys of all items of a partition.
fn query_keys(table: &Table, pk: String) -> QueryFluentBuilder {
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :partition")
        .expression_attribute_values(":partition", S(pk))
        .projection_expression("pk, sk")
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
