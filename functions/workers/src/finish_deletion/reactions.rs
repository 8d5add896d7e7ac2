//! Deletes the reactions that a deleted user gave, and decrements the counts of the photos.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::entity;
use shared::entities::{CountedItem, Deletion, Key, Reaction, delete_counted, photo_of_sk, reaction_pk};
use shared::values::ReactionType;
use shared::{Error, Table};
use tokio::time::Instant;

use crate::finish_deletion::items::{delete_each, key_of};

/// Deletes the reactions of one type that the user gave. Decrements the count of each photo, or of
/// the `PhotoDeletion` in its place. Returns whether it got to the end before the deadline.
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
        .expression_attribute_values(":reactions", S(reaction_pk(&deletion.erasing, reaction_type)))
        .consistent_read(true);
    delete_each(reactions, page_deadline, async |item| {
        let reaction: Reaction = entity::from_item(item.clone())?;
        // Another program may have written a reaction whose sort key is not that of a photo.
        // Nothing counts it.
        let if_counted = photo_of_sk(&reaction.photo).ok().map(|(owner, timestamp)| {
            Decrement::new(&table.name, Key::photo(&owner, &timestamp), "reactions.#type")
                .with_name("#type", reaction_type.as_ref())
        });
        delete_counted(table, vec![CountedItem { key: key_of(item), if_counted, always: None }], None).await.map(drop)
    })
    .await
}
