//! The engagement of a caller with photos: a [materialized
//! view](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-gsi-aggregation.html)
//! of the caller's reactions and saved photos.
//!
//! The reactions themselves are found by their photo, or by their user and type. For a page of
//! photos, that would be a key per photo and type. The view has one item per caller and photo. The
//! transaction that writes a reaction or a saved photo writes it too, so callers read their own
//! writes.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::{Bool, S, Ss};
use aws_sdk_dynamodb::types::Update;
use serde::{Deserialize, Serialize};

use super::key::{FEED_SK, Key};
use super::position::Position;
use crate::Error;
use crate::dynamodb::counter::Decrement;
use crate::dynamodb::{Item, Table, entity};
use crate::values::{PhotoId, ReactionType, Username};

/// The prefix of the partition keys of engagements. The caller follows.
pub const ENGAGEMENTS_PREFIX: &str = "Engagement#";

/// The engagement of a caller with one photo. An item without reactions that is not saved remains
/// after the caller has undone the last of them. It says the same as no item.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engagement {
    /// The types of the caller's reactions to the photo.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(required))]
    pub reactions: BTreeSet<ReactionType>,
    /// Whether the photo is a favorite of the caller.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(required))]
    pub saved: bool,
}

impl Engagement {
    /// Returns the engagement that an item holds, and the position of its photo.
    pub fn from_item(item: Item) -> Result<(Position, Self), Error> {
        let sk = item.get(FEED_SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        let position = sk
            .split_once('#')
            .and_then(|(owner, photo)| Some(Position { id: photo.parse().ok()?, author: owner.parse().ok()? }));
        let position =
            position.ok_or_else(|| Error::internal(format!("the sort key {sk:?} is not that of an engagement")))?;
        Ok((position, entity::from_item(item)?))
    }

    /// Returns the item of the engagement.
    #[must_use]
    pub fn item(&self, caller: &Username, owner: &Username, photo: &PhotoId) -> Item {
        let mut item = Item::from(Key::engagement(caller, owner, photo));
        if !self.reactions.is_empty() {
            item.insert("reactions".to_owned(), Ss(self.reactions.iter().map(ToString::to_string).collect()));
        }
        if self.saved {
            item.insert("saved".to_owned(), Bool(true));
        }
        item
    }
}

impl Key {
    /// Returns the key of the [`Engagement`](super::Engagement) of a caller with a photo of
    /// `owner`.
    #[must_use]
    pub fn engagement(caller: &Username, owner: &Username, photo: &PhotoId) -> Self {
        Self::of_feed(engagements_pk(caller), engagement_sk(owner, photo))
    }
}

/// Returns the partition key of all engagements of a caller.
#[must_use]
pub fn engagements_pk(caller: &Username) -> String {
    format!("{ENGAGEMENTS_PREFIX}{caller}")
}

/// Returns the sort key of all engagements with a photo.
#[must_use]
pub(super) fn engagement_sk(owner: &Username, photo: &PhotoId) -> String {
    format!("{owner}#{photo}")
}

/// Returns the `Query` of the engagements of a caller with two photos of one owner and with those
/// between them. Either of the two may be the older one.
#[must_use]
pub fn query_engagements(
    table: &Table,
    caller: &Username,
    owner: &Username,
    one: &PhotoId,
    other: &PhotoId,
) -> QueryFluentBuilder {
    let (first, last) = (one.min(other), one.max(other));
    table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :caller AND sk BETWEEN :first AND :last")
        .expression_attribute_values(":caller", S(engagements_pk(caller)))
        .expression_attribute_values(":first", S(engagement_sk(owner, first)))
        .expression_attribute_values(":last", S(engagement_sk(owner, last)))
}

/// Returns the update that adds a reaction, for the transaction that puts the reaction, on the
/// condition that the caller has not given it yet. A reaction can have two keys
/// ([`Key::sharded`](crate::entities::Key::sharded)), so a condition on one of them does not say
/// this.
pub fn engage_by_reaction(table_name: &str, key: Key, reaction: ReactionType) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(table_name)
        .set_key(Some(key.into()))
        .condition_expression("NOT contains(reactions, :reaction)")
        .update_expression("ADD reactions :reactions")
        .expression_attribute_values(":reaction", S(reaction.to_string()))
        .expression_attribute_values(":reactions", Ss(vec![reaction.to_string()]))
        .build()?;
    Ok(update)
}

/// Returns the removal of a reaction, for the transaction that deletes the reaction. A reaction
/// that another program wrote is not in the view.
#[must_use]
pub fn disengage_by_reaction(table_name: &str, key: Key, reaction: ReactionType) -> Decrement {
    Decrement::of_member(table_name, key, "reactions", reaction.as_ref())
}

/// Returns the same for a photo that is deleted: an engagement that says nothing else goes with the
/// reaction. That of a saved photo stays, as the favorite does.
#[must_use]
pub fn disengage_from_deleted(table_name: &str, key: Key, reaction: ReactionType) -> Decrement {
    disengage_by_reaction(table_name, key, reaction).or_item_if("attribute_not_exists(saved)")
}

/// Returns the update that says whether the photo is saved, for the transaction that puts or
/// deletes the favorite.
pub fn engage_by_save(table_name: &str, key: Key, is_saved: bool) -> Result<Update, Error> {
    let update = Update::builder().table_name(table_name).set_key(Some(key.into()));
    let update = if is_saved {
        update.update_expression("SET saved = :true").expression_attribute_values(":true", Bool(true))
    } else {
        update.update_expression("REMOVE saved")
    };
    Ok(update.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engagement_is_unchanged_after_a_round_trip_through_an_item() {
        let (caller, owner): (Username, Username) = ("ben".parse().unwrap(), "ada".parse().unwrap());
        let photo: PhotoId = "2024-05-30T15:42:38".parse().unwrap();
        let reactions = [ReactionType::Heart, ReactionType::PlusOne].into();
        for engagement in [Engagement { reactions, saved: true }, Engagement::default()] {
            let item = engagement.item(&caller, &owner, &photo);
            let position = Position { id: photo.clone(), author: owner.clone() };
            assert_eq!(Engagement::from_item(item).unwrap(), (position, engagement));
        }
    }
}
