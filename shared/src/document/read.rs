//! Parsing of documents.
//!
//! Each value is first read as raw JSON text and then parsed according to its first byte. So a
//! number keeps its text; an `f64` would lose all digits beyond the 17th.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::error::DocumentError;
use super::number::Number;
use super::truncate::truncate;
use crate::dynamodb::Item;
use crate::values::DocumentFormat;

/// The maximum number of nested levels of an attribute. The value itself is the first level.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-attributes>
pub const MAX_LEVELS: usize = 32;

/// The maximum length of an attribute name in bytes, which must be "less than 64 KB".
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.NamingRules>
const MAX_NAME_BYTES: usize = 64 * 1024 - 1;

/// Parses a document, which is one object. The size is not checked, because the caller may add
/// attributes: check the complete item with [`within_limits`](super::within_limits).
pub fn read(format: DocumentFormat, text: &str) -> Result<Item, DocumentError> {
    map(text, |raw| value(format, raw, 0))
}

/// Parses a document that is the value of an attribute, and so the first level of it.
pub fn read_nested(format: DocumentFormat, text: &str) -> Result<Item, DocumentError> {
    map(text, |raw| value(format, raw, 1))
}

/// Parses an item of a table from one line of a file. The line itself shows its format: an item has
/// a key, and a key is a string, a number or binary. So in plain JSON at least one attribute is not
/// an object, and in DynamoDB JSON all are. The `{"Item": {…}}` of [an
/// export](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html)
/// is unwrapped.
pub fn read_line(mut line: &str) -> Result<Item, DocumentError> {
    let mut attributes = members(line)?;
    if let [(name, inner)] = attributes.as_slice()
        && name == "Item"
        && is_object(inner)
    {
        line = inner.get();
        attributes = members(line)?;
    }
    let is_typed = attributes.iter().all(|(_, value)| is_object(value));
    read(if is_typed { DocumentFormat::DynamoDb } else { DocumentFormat::Json }, line)
}

pub(super) fn value(format: DocumentFormat, raw: &RawValue, depth: usize) -> Result<AttributeValue, DocumentError> {
    match format {
        DocumentFormat::Json => plain(raw, depth),
        DocumentFormat::DynamoDb => typed(raw, depth),
    }
}

fn plain(raw: &RawValue, depth: usize) -> Result<AttributeValue, DocumentError> {
    within_depth(depth)?;
    Ok(match raw.get().as_bytes() {
        [b'{', ..] => AttributeValue::M(map(raw.get(), |value| plain(value, depth + 1))?),
        [b'[', ..] => AttributeValue::L(list(raw, |value| plain(value, depth + 1))?),
        [b'"', ..] => AttributeValue::S(parse(raw.get())?),
        b"true" => AttributeValue::Bool(true),
        b"false" => AttributeValue::Bool(false),
        b"null" => AttributeValue::Null(true),
        _ => AttributeValue::N(number(raw.get())?),
    })
}

fn typed(raw: &RawValue, depth: usize) -> Result<AttributeValue, DocumentError> {
    within_depth(depth)?;
    if !is_object(raw) {
        return Err(DocumentError::new("must be an object with a type in DynamoDB JSON, as in {\"S\": \"…\"}"));
    }
    let types = members(raw.get())?;
    let [(kind, content)] = types.as_slice() else {
        return Err(DocumentError::new(format!("must have exactly one type, and has {}", types.len())));
    };
    let value = match kind.as_str() {
        "S" => string(content).map(AttributeValue::S),
        "N" => string(content).and_then(|text| number(&text)).map(AttributeValue::N),
        "B" => binary(content).map(AttributeValue::B),
        "BOOL" => match content.get() {
            "true" => Ok(AttributeValue::Bool(true)),
            "false" => Ok(AttributeValue::Bool(false)),
            _ => Err(DocumentError::new("must be true or false")),
        },
        "NULL" if content.get() == "true" => Ok(AttributeValue::Null(true)),
        "NULL" => Err(DocumentError::new("must be true")),
        "L" => return list(content, |value| typed(value, depth + 1)).map(AttributeValue::L),
        "M" if is_object(content) => {
            return map(content.get(), |value| typed(value, depth + 1)).map(AttributeValue::M);
        }
        "M" => Err(DocumentError::new("must be an object")),
        "SS" => set(content, string, Clone::clone).map(AttributeValue::Ss),
        "NS" => set(content, |raw| string(raw).and_then(|text| number(&text)), |text| Number::parse(text).ok())
            .map(AttributeValue::Ns),
        "BS" => set(content, binary, |blob| blob.as_ref().to_vec()).map(AttributeValue::Bs),
        _ => {
            let types = "S, N, B, BOOL, NULL, L, M, SS, NS, BS";
            let message = format!("{:?} is not a DynamoDB type; the types are {types}", truncate(kind));
            return Err(DocumentError::new(message));
        }
    };
    value.map_err(|error| error.in_type(kind))
}

pub(super) fn within_depth(depth: usize) -> Result<(), DocumentError> {
    if depth < MAX_LEVELS {
        Ok(())
    } else {
        Err(DocumentError::new(format!("is nested deeper than {MAX_LEVELS} levels")))
    }
}

pub(super) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, DocumentError> {
    serde_json::from_str(text).map_err(|error| {
        // Only the document itself can have the wrong type here: the values in it are parsed
        // according to their first byte.
        if error.is_data() {
            return DocumentError::new("must be a JSON object");
        }
        DocumentError::new(format!(
            "is not valid JSON: {}",
            error.to_string().replace(" at line 1 column ", " at column ")
        ))
    })
}

fn string(raw: &RawValue) -> Result<String, DocumentError> {
    if raw.get().starts_with('"') { parse(raw.get()) } else { Err(DocumentError::new("must be a string")) }
}

/// Returns the text unchanged if it is a number that DynamoDB can store.
fn number(text: &str) -> Result<String, DocumentError> {
    Number::parse(text).map(|_| text.to_owned())
}

fn binary(raw: &RawValue) -> Result<Blob, DocumentError> {
    BASE64_STANDARD
        .decode(string(raw)?)
        .map(Blob::new)
        .map_err(|error| DocumentError::new(format!("is not valid base64: {error}")))
}

fn map(
    object: &str,
    value: impl Fn(&RawValue) -> Result<AttributeValue, DocumentError>,
) -> Result<Item, DocumentError> {
    read_members(object, value).map(Item::from_iter)
}

/// Parses the members of an object. Their names must be unique.
pub(super) fn read_members<T>(
    object: &str,
    read: impl Fn(&RawValue) -> Result<T, DocumentError>,
) -> Result<Vec<(String, T)>, DocumentError> {
    let members = members(object)?;
    let mut names = HashSet::with_capacity(members.len());
    for (name, _) in &members {
        match name.len() {
            0 => return Err(DocumentError::new("has an attribute with an empty name")),
            1..=MAX_NAME_BYTES if names.insert(name) => {}
            1..=MAX_NAME_BYTES => return Err(DocumentError::new("appears more than once").in_attribute(name)),
            size => {
                let message = format!("has a name of {size} bytes; at most {MAX_NAME_BYTES} are allowed");
                return Err(DocumentError::new(message).in_attribute(name));
            }
        }
    }
    let read = |(name, raw): (String, &RawValue)| match read(raw) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(error.in_attribute(&name)),
    };
    members.into_iter().map(read).collect()
}

fn list<T>(raw: &RawValue, element: impl Fn(&RawValue) -> Result<T, DocumentError>) -> Result<Vec<T>, DocumentError> {
    if !raw.get().starts_with('[') {
        return Err(DocumentError::new("must be an array"));
    }
    let elements: Vec<&RawValue> = parse(raw.get())?;
    elements.into_iter().enumerate().map(|(index, raw)| element(raw).map_err(|error| error.in_element(index))).collect()
}

/// Parses a set, which has at least one member and no duplicates.
fn set<T, I: Hash + Eq>(
    raw: &RawValue,
    member: impl Fn(&RawValue) -> Result<T, DocumentError>,
    identity: impl Fn(&T) -> I,
) -> Result<Vec<T>, DocumentError> {
    let members = list(raw, member)?;
    if members.is_empty() {
        return Err(DocumentError::new("must not be an empty set"));
    }
    let mut seen = HashSet::with_capacity(members.len());
    match members.iter().position(|member| !seen.insert(identity(member))) {
        Some(index) => Err(DocumentError::new("is a duplicate in the set").in_element(index)),
        None => Ok(members),
    }
}

/// Returns the members of an object in order, including members with the same name, of which a map
/// would keep only the last.
pub(super) fn members(object: &str) -> Result<Vec<(String, &RawValue)>, DocumentError> {
    parse::<Members>(object).map(|members| members.0)
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
