//! The conversion between entities and items.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key_attributes;
use crate::Error;
use crate::dynamodb::Item;

/// Returns the item of an entity, with the attributes of its key.
pub fn to_item(key: impl Into<Item>, entity: &impl Serialize) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(entity)?;
    item.extend(key.into());
    Ok(item)
}

/// Returns the entity that an item holds. The error for an item of another shape names the item's
/// key, for the log.
pub fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    let key: Vec<_> = key_attributes::all().filter_map(|name| item.get(name)).cloned().collect();
    serde_dynamo::from_item(item).map_err(|error| Error::internal(format!("item {key:?}: {error}")))
}

/// Returns the entities that items hold, in their order.
pub fn from_items<T: DeserializeOwned>(items: Vec<Item>) -> Result<Vec<T>, Error> {
    items.into_iter().map(from_item).collect()
}
