//! Deletes the reactions to a deleted photo and those of a deleted user, and decrements the counts
//! of the photos.
//!
//! - A consistent `Query` for each type finds the reactions of a user, and a `TransactWriteItems`
//!   for each reaction deletes it and decrements the count of its photo.
//! - finish-deletion finds the reactions to a photo, beside the comments on it.
//!   `TransactWriteItems` deletes up to 49 of them, takes them out of their engagements, and
//!   decrements the count of the `PhotoDeletion`.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::counter::{Decrement, Guard};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    CountedItem, Deletion, Key, PhotoDeletion, Reaction, delete_counted, disengage_from_deleted, photo_of_sk,
    reaction_pk,
};
use shared::erasure::{delete_each, delete_in_transactions, key_of};
use shared::values::ReactionType;
use shared::{Error, Table};
use tokio::time::Instant;

/// The maximum number of reactions of one transaction, which takes [100
/// items](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html):
/// the reactions, the engagements that have them, and the `PhotoDeletion` that counts them.
const MAX_TRANSACTION_REACTIONS: usize = 49;

/// Deletes the reactions of all types that the user gave. Decrements the count of each photo, or of
/// the `PhotoDeletion` in its place. Returns whether it got to the end before the deadline.
pub async fn delete_given(table: &Table, deletion: &Deletion, page_deadline: Instant) -> Result<bool, Error> {
    let mut is_complete = true;
    for &reaction_type in ReactionType::ALL {
        is_complete &= delete_given_of_type(table, deletion, reaction_type, page_deadline).await?;
    }
    Ok(is_complete)
}

async fn delete_given_of_type(
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
        let if_counted = photo_of_sk(&reaction.photo).ok().map(|(owner, photo)| {
            Decrement::new(&table.name, Key::photo(&owner, &photo), "reactions.#type")
                .with_name("#type", reaction_type.as_ref())
        });
        delete_counted(
            table,
            vec![CountedItem { key: key_of(item), if_counted, always: vec![], dependents: &[] }],
            None,
        )
        .await
        .map(drop)
    })
    .await
}

/// Deletes reactions to a deleted photo, with the engagements that have nothing else. Decrements
/// the count of the `PhotoDeletion`, if the condition of the `guard` holds.
pub async fn delete_of_photo(
    table: &Table,
    feed: &Table,
    deletion: &PhotoDeletion,
    reactions: Vec<Item>,
    guard: &Guard<'_>,
) -> Result<(), Error> {
    // A transaction can update the PhotoDeletion and an engagement once, so the reactions of one
    // transaction have the same type.
    let mut by_type: BTreeMap<Option<ReactionType>, Vec<Item>> = BTreeMap::new();
    for reaction in reactions {
        let reaction_type = reaction.get("reactionType").and_then(|name| name.as_s().ok()?.parse().ok());
        by_type.entry(reaction_type).or_default().push(reaction);
    }
    for (reaction_type, reactions) in by_type {
        let count = Decrement::new(&table.name, Key::photo(&deletion.erasing, &deletion.id), "reactions.#type");
        let decrement = reaction_type.map(|reaction_type| count.with_name("#type", reaction_type.as_ref()));
        let disengage = |reaction: &Item| {
            let caller = reaction.get("reactingUser")?.as_s().ok()?.parse().ok()?;
            let engagement = Key::engagement(&caller, &deletion.erasing, &deletion.id);
            Some(disengage_from_deleted(&feed.name, engagement, reaction_type?))
        };
        let items = reactions
            .into_iter()
            .map(|reaction| CountedItem {
                if_counted: decrement.clone(),
                always: disengage(&reaction).into_iter().collect(),
                dependents: &[],
                key: key_of(reaction),
            })
            .collect();
        delete_in_transactions(items, MAX_TRANSACTION_REACTIONS, async |items| {
            delete_counted(table, items, Some(guard)).await.map(drop)
        })
        .await?;
    }
    Ok(())
}
