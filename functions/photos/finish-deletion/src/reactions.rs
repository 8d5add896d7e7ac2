//! Deletes the reactions that a deleted user gave, and decrements the counts of the photos.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::transaction;
use shared::model::entity;
use shared::model::photos::{
    Deletion, INVERTED_INDEX, Photo, Reaction, USER_PREFIX, decrement_reaction_count, reaction_pk,
};
use shared::values::ReactionType;
use shared::{Error, Table};
use tokio::time::Instant;

use crate::items::{delete, delete_each};

/// Deletes the reactions of one type that the user gave. Returns whether another pass is needed.
pub(crate) async fn delete_given(
    table: &Table,
    deletion: &Deletion,
    reaction_type: ReactionType,
    page_deadline: Instant,
) -> Result<bool, Error> {
    let reactions = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :reactions")
        .expression_attribute_values(":reactions", S(reaction_pk(&deletion.erasing, reaction_type)));
    delete_each(reactions, page_deadline, async |item| {
        let reaction: Reaction = entity::from_item(item.clone())?;
        let decrements = photos_of(table, &reaction)
            .await?
            .iter()
            .map(|photo| decrement_reaction_count(&table.name, &photo.username, &photo.timestamp, reaction_type))
            .collect::<Result<_, _>>()?;
        transaction::delete_and_decrement(&table.client, vec![(delete(table, item)?, decrements)]).await
    })
    .await
}

/// Returns the photo to which the reaction was given: one photo, or none if it has been deleted.
///
/// The update of a photo needs its owner. A reaction has no attribute for the owner, so the owner is read from the
/// photo.
async fn photos_of(table: &Table, reaction: &Reaction) -> Result<Vec<Photo>, Error> {
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo AND begins_with(PK, :users)")
        .expression_attribute_values(":photo", S(reaction.photo.clone()))
        .expression_attribute_values(":users", S(USER_PREFIX.to_owned()))
        .send()
        .await?;
    entity::from_items(output.items.unwrap_or_default())
}
