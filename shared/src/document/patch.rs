//! [JSON merge patches](https://www.rfc-editor.org/rfc/rfc7396) of documents.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::value::RawValue;

use super::error::DocumentError;
use super::read::{is_object, members, read_members, value, within_depth};
use crate::dynamodb::Item;
use crate::values::DocumentFormat;

/// The change of one attribute by a patch.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeChange {
    /// Removes the attribute, if it exists.
    Remove,
    /// Sets the attribute to this value.
    Set(AttributeValue),
    /// Applies these changes to the map that the attribute holds. If it does not hold a map, they
    /// are applied to an empty one, which replaces its value.
    Merge(AttributeChanges),
}

/// The changes of a patch by attribute name, in the order of the patch. Names are unique.
pub type AttributeChanges = Vec<(String, AttributeChange)>;

/// Parses a merge patch. `null` removes an attribute. A map, which is an object or `{"M": {…}}`, is
/// merged member by member. Every other value replaces the value of the attribute.
///
/// In DynamoDB JSON, `{"NULL": true}` sets a null value. Plain JSON can set null inside a list
/// only.
pub fn patch(format: DocumentFormat, text: &str) -> Result<AttributeChanges, DocumentError> {
    changes(format, text, 0)
}

/// Parses a merge patch of a document that is the value of an attribute, and so the first level of it.
pub fn patch_nested(format: DocumentFormat, text: &str) -> Result<AttributeChanges, DocumentError> {
    changes(format, text, 1)
}

fn changes(format: DocumentFormat, object: &str, depth: usize) -> Result<AttributeChanges, DocumentError> {
    read_members(object, |value| change(format, value, depth))
}

fn change(format: DocumentFormat, raw: &RawValue, depth: usize) -> Result<AttributeChange, DocumentError> {
    within_depth(depth)?;
    if raw.get() == "null" {
        return Ok(AttributeChange::Remove);
    }
    match map(format, raw)? {
        Some(map) => changes(format, map.get(), depth + 1).map(AttributeChange::Merge),
        None => value(format, raw, depth).map(AttributeChange::Set),
    }
}

/// Returns the object with the members of a map, or `None` for a value of another type.
fn map(format: DocumentFormat, raw: &RawValue) -> Result<Option<&RawValue>, DocumentError> {
    if !is_object(raw) {
        return Ok(None);
    }
    Ok(match format {
        DocumentFormat::Json => Some(raw),
        DocumentFormat::DynamoDb => match members(raw.get())?.as_slice() {
            [(kind, content)] if kind == "M" && is_object(content) => Some(*content),
            _ => None,
        },
    })
}

/// Returns an item with changes applied.
///
/// The table is changed by an
/// [update](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html).
/// This function computes the result before, to check it against the limits of an item.
#[must_use]
pub fn apply(changes: &[(String, AttributeChange)], mut item: Item) -> Item {
    for (name, change) in changes {
        let before = item.remove(name);
        let after = match (change, before) {
            (AttributeChange::Remove, _) => continue,
            (AttributeChange::Set(value), _) => value.clone(),
            (AttributeChange::Merge(changes), Some(AttributeValue::M(map))) => AttributeValue::M(apply(changes, map)),
            (AttributeChange::Merge(changes), _) => AttributeValue::M(apply(changes, Item::new())),
        };
        item.insert(name.clone(), after);
    }
    item
}
