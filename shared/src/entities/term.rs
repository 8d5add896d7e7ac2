//! Favorites under the terms of their titles, which search reads.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Deserialize;

use super::attributes::{data_type, uppercase};
use super::favorite::{ClipPosition, Favorite};
use super::key::Key;
use crate::dynamodb::Item;
use crate::search::terms;
use crate::values::{DataId, DataType, EpochMillis, Username};

/// The prefix of the partition keys of terms. The owner and the term follow.
pub const TERMS_PREFIX: &str = "FavoriteDataTerm#";

/// A favorite under a term of its title, with the attributes that a search compares with its query.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Term {
    /// The id of the favorite.
    pub data_id: DataId,
    /// The type of the favorite.
    #[serde(deserialize_with = "data_type")]
    pub data_type: DataType,
    /// The title of the favorite.
    pub title: String,
    /// The time at which the favorite was clipped.
    pub clip_time: EpochMillis,
}

impl Key {
    /// Returns the key of a [`Term`](super::Term).
    #[must_use]
    pub fn term(owner: &Username, term: &str, position: &ClipPosition) -> Self {
        Self::of_favorite(term_pk(owner, term), position.to_string())
    }
}

/// Returns the partition key of the favorites of a user whose titles have a term.
#[must_use]
pub fn term_pk(owner: &Username, term: &str) -> String {
    format!("{TERMS_PREFIX}{owner}#{term}")
}

/// Returns the items of the [`Term`]s of a favorite, one for each term of its title.
#[must_use]
pub fn term_items(owner: &Username, favorite: &Favorite) -> Vec<Item> {
    let position = favorite.clip_position();
    let item = |term: String| {
        let mut item = Item::from(Key::term(owner, &term, &position));
        let mut set = |name: &str, value: String| item.insert(name.to_owned(), S(value));
        set("dataId", favorite.data_id.to_string());
        set("dataType", uppercase(favorite.data_type));
        set("title", favorite.title.clone());
        set("clipTime", favorite.clip_time.to_string());
        item
    };
    terms(&favorite.title).into_iter().map(item).collect()
}
