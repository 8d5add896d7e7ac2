//! What a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) changes in a document.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::value::RawValue;

use super::DocumentError;
use super::read::{is_object, members, read_members, value, within_depth};
use crate::dynamodb::Item;
use crate::values::DocumentFormat;

/// What becomes of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It goes, if it is there.
    Remove,
    /// It gets this value, whatever it had.
    Set(AttributeValue),
    /// It is a map afterwards, with these changes in what it had if it was a map before, else in an empty one.
    Merge(Changes),
}

/// Changes by the names of their attributes, in the order of the patch, no name twice.
pub type Changes = Vec<(String, Change)>;

/// Reads a patch. `null` removes; a map, an object or `{"M": {…}}`, is merged, and its members are changes again; every
/// other value replaces what was there. In DynamoDB JSON, `{"NULL": true}` is such a value; in plain JSON, null can be
/// in a list only.
pub fn patch(form: DocumentFormat, text: &str) -> Result<Changes, DocumentError> {
    changes(form, text, 0)
}

fn changes(form: DocumentFormat, object: &str, depth: usize) -> Result<Changes, DocumentError> {
    read_members(object, |value| change(form, value, depth))
}

fn change(form: DocumentFormat, raw: &RawValue, depth: usize) -> Result<Change, DocumentError> {
    within_depth(depth)?;
    if raw.get() == "null" {
        return Ok(Change::Remove);
    }
    match map(form, raw)? {
        Some(map) => changes(form, map.get(), depth + 1).map(Change::Merge),
        None => value(form, raw, depth).map(Change::Set),
    }
}

/// The members of a value that is a map.
fn map(form: DocumentFormat, raw: &RawValue) -> Result<Option<&RawValue>, DocumentError> {
    if !is_object(raw) {
        return Ok(None);
    }
    Ok(match form {
        DocumentFormat::Json => Some(raw),
        DocumentFormat::DynamoDb => match members(raw.get())?.as_slice() {
            [(kind, content)] if kind == "M" && is_object(content) => Some(*content),
            _ => None,
        },
    })
}

/// The item that comes of an item by these changes. An [update](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html)
/// changes it in the table; this tells before whether the outcome is within limits.
#[must_use]
pub fn apply(changes: &[(String, Change)], mut item: Item) -> Item {
    for (name, change) in changes {
        let before = item.remove(name);
        let after = match (change, before) {
            (Change::Remove, _) => continue,
            (Change::Set(value), _) => value.clone(),
            (Change::Merge(changes), Some(AttributeValue::M(map))) => AttributeValue::M(apply(changes, map)),
            (Change::Merge(changes), _) => AttributeValue::M(apply(changes, Item::new())),
        };
        item.insert(name.clone(), after);
    }
    item
}
