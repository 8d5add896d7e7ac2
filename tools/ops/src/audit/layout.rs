//! The layout of a table: its key, its indexes, and the entities that its items hold.

use anyhow::{Context, bail};
use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::de::DeserializeOwned;
use shared::dynamodb::Item;
pub(super) use shared::values::MAX_SORT_KEY_BYTES;

/// The layout of a table, which the entities that its items hold implement.
pub(super) trait Layout: Sized {
    /// The names of the partition key and the sort key.
    const KEY: [&'static str; 2];
    /// The indexes that the table needs.
    const INDEXES: &'static [&'static str];

    /// Parses an item as the entity whose attributes and key it has. The error is the reason why
    /// the item is malformed.
    fn parse(item: Item) -> anyhow::Result<Self>;
}

/// The partition key and the sort key of an item.
pub(super) type Keys = (String, String);

/// Returns the key attributes of an item.
pub(super) fn key<E: Layout>((pk, sk): Keys) -> Item {
    E::KEY.map(str::to_owned).into_iter().zip([S(pk), S(sk)]).collect()
}

pub(super) fn keys<E: Layout>(item: &Item) -> Keys {
    let [pk, sk] = E::KEY.map(|name| match item.get(name) {
        Some(S(key)) => key.clone(),
        _ => String::new(),
    });
    (pk, sk)
}

/// Checks that an item has the key that follows from its attributes.
pub(super) fn check_key<E: Layout>(keys: &Keys, expected: impl Into<Item>, entity: &str) -> anyhow::Result<()> {
    if expected.into() != key::<E>(keys.clone()) {
        bail!("its attributes are those of a {entity}, but its key is not");
    }
    Ok(())
}

/// Parses the attributes of an item.
pub(super) fn parse<T: DeserializeOwned>(item: Item) -> anyhow::Result<T> {
    Ok(serde_dynamo::from_item(item)?)
}

/// Removes one attribute from an item and parses it.
pub(super) fn take_attribute<T: DeserializeOwned>(item: &mut Item, name: &'static str) -> anyhow::Result<Option<T>> {
    item.remove(name).map(serde_dynamo::from_attribute_value).transpose().context(name)
}
