//! Items as the SDK has them, and the entities that they are.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, catalogue, favorites, photos};

/// An item as the SDK has it.
pub type Item = HashMap<String, AttributeValue>;

/// An entity with its key: the item to put.
pub fn item(key: impl Into<Item>, entity: &impl Serialize) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(entity)?;
    item.extend(key.into());
    Ok(item)
}

/// The entity that an item is. The error of an item that has another shape names its key, for the log.
pub fn entity<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    let keys = [photos::PK, photos::SK, favorites::PK, favorites::SK];
    let of_catalogues = [catalogue::ARTIST, catalogue::SONG_TITLE, catalogue::PERSON_ID];
    let key: Vec<_> = keys.into_iter().chain(of_catalogues).filter_map(|name| item.get(name)).cloned().collect();
    serde_dynamo::from_item(item).map_err(|error| Error::internal(format!("item {key:?}: {error}")))
}

/// The entities that items are.
pub fn entities<T: DeserializeOwned>(items: Vec<Item>) -> Result<Vec<T>, Error> {
    items.into_iter().map(entity).collect()
}
