//! Deletes the items that refer to a deleted photo.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{batch, unless_condition_failed};
use shared::model::photos::{INVERTED_INDEX, Key, Photo, REACTION_PREFIX, photo_sk};
use shared::{Error, Table};

use crate::items::{MAX_PAGE_ITEMS, key_of};

/// Deletes the reactions to a deleted photo, and removes it from its owner's `pinnedImage`.
pub(crate) async fn finish(table: &Table, photo: &Photo) -> Result<(), Error> {
    delete_reactions(table, photo).await?;
    unpin(table, photo).await
}

/// Deletes the reactions to the photo. Only the photo itself counted them, so no count changes.
async fn delete_reactions(table: &Table, photo: &Photo) -> Result<(), Error> {
    let mut reactions = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :reactions)")
        .expression_attribute_values(":photo", S(photo_sk(&photo.username, &photo.timestamp)))
        .expression_attribute_values(":reactions", S(REACTION_PREFIX.to_owned()))
        .limit(MAX_PAGE_ITEMS)
        .into_paginator()
        .send();
    // The loop ends with the last page of the query. If the invocation ends first, the next one finds only the rest.
    while let Some(page) = reactions.try_next().await? {
        let deletes = page.items.into_iter().flatten().map(|reaction| batch::delete(key_of(reaction)));
        batch::write(table, deletes.collect::<Result<_, _>>()?).await?;
    }
    Ok(())
}

/// Removes the photo from its owner's `pinnedImage`, if it is still there.
async fn unpin(table: &Table, photo: &Photo) -> Result<(), Error> {
    let result = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(Key::user(&photo.username).into()))
        .condition_expression("pinnedImage = :photo")
        .update_expression("REMOVE pinnedImage")
        .expression_attribute_values(":photo", S(photo_sk(&photo.username, &photo.timestamp)))
        .send()
        .await;
    unless_condition_failed(result)?;
    Ok(())
}
