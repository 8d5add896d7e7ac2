//! From a text to an item.
//!
//! Values are read as raw text first and by their first byte then, so that a number stays the text that it was: through
//! an `f64` it would lose everything beyond 17 digits.

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::{DocumentError, Number, abridged};
use crate::dynamodb::Item;
use crate::values::DocumentFormat;

/// Levels of an attribute: a value is one, and those in it are the next.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-attributes>
const MAX_LEVELS: usize = 32;

/// Bytes of an attribute's name, which has to be "less than 64 KB".
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.NamingRules>
const MAX_BYTES_OF_NAME: usize = 64 * 1024 - 1;

/// Reads a document: one object. How large it is may depend on what is added to it, so that
/// [`within_limits`](super::within_limits) is for the whole item to come.
pub fn read(form: DocumentFormat, text: &str) -> Result<Item, DocumentError> {
    map(text, |raw| value(form, raw, 0))
}

pub(super) fn value(form: DocumentFormat, raw: &RawValue, depth: usize) -> Result<AttributeValue, DocumentError> {
    match form {
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
        return Err(DocumentError::new("DynamoDB JSON needs an object with a type here, as in {\"S\": \"…\"}"));
    }
    let types = members(raw.get())?;
    let [(kind, content)] = types.as_slice() else {
        return Err(DocumentError::new(format!("has {} types, one is needed", types.len())));
    };
    let value = match kind.as_str() {
        "S" => string(content).map(AttributeValue::S),
        "N" => string(content).and_then(|text| number(&text)).map(AttributeValue::N),
        "B" => binary(content).map(AttributeValue::B),
        "BOOL" => match content.get() {
            "true" => Ok(AttributeValue::Bool(true)),
            "false" => Ok(AttributeValue::Bool(false)),
            _ => Err(DocumentError::new("needs true or false")),
        },
        "NULL" if content.get() == "true" => Ok(AttributeValue::Null(true)),
        "NULL" => Err(DocumentError::new("needs true")),
        "L" => return list(content, |value| typed(value, depth + 1)).map(AttributeValue::L),
        "M" if is_object(content) => {
            return map(content.get(), |value| typed(value, depth + 1)).map(AttributeValue::M);
        }
        "M" => Err(DocumentError::new("needs an object")),
        "SS" => set(content, string, Clone::clone).map(AttributeValue::Ss),
        "NS" => set(content, |raw| string(raw).and_then(|text| number(&text)), |text| Number::parse(text).ok())
            .map(AttributeValue::Ns),
        "BS" => set(content, binary, |blob| blob.as_ref().to_vec()).map(AttributeValue::Bs),
        _ => return Err(DocumentError::new(format!("{:?} is no type of DynamoDB's", abridged(kind)))),
    };
    value.map_err(|fault| fault.of(kind))
}

pub(super) fn within_depth(depth: usize) -> Result<(), DocumentError> {
    if depth < MAX_LEVELS { Ok(()) } else { Err(DocumentError::new(format!("nested over {MAX_LEVELS} levels"))) }
}

pub(super) fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, DocumentError> {
    serde_json::from_str(text).map_err(|error| {
        // Only a document as a whole can be of the wrong kind; what is in it is read by its first byte.
        if error.is_data() {
            return DocumentError::new("expected an object");
        }
        DocumentError::new(format!("not JSON: {}", error.to_string().replace(" at line 1 column ", " at column ")))
    })
}

fn string(raw: &RawValue) -> Result<String, DocumentError> {
    if raw.get().starts_with('"') { parse(raw.get()) } else { Err(DocumentError::new("needs a string")) }
}

/// The text as it was, when it is a number that DynamoDB can store.
fn number(text: &str) -> Result<String, DocumentError> {
    Number::parse(text).map(|_| text.to_owned())
}

fn binary(raw: &RawValue) -> Result<Blob, DocumentError> {
    BASE64_STANDARD
        .decode(string(raw)?)
        .map(Blob::new)
        .map_err(|error| DocumentError::new(format!("not base64: {error}")))
}

fn map(
    object: &str,
    value: impl Fn(&RawValue) -> Result<AttributeValue, DocumentError>,
) -> Result<Item, DocumentError> {
    read_members(object, value).map(Item::from_iter)
}

/// Each of an object's members, no two with one name.
pub(super) fn read_members<T>(
    object: &str,
    read: impl Fn(&RawValue) -> Result<T, DocumentError>,
) -> Result<Vec<(String, T)>, DocumentError> {
    let members = members(object)?;
    let mut names = HashSet::with_capacity(members.len());
    for (name, _) in &members {
        match name.len() {
            0 => return Err(DocumentError::new("an attribute has an empty name")),
            1..=MAX_BYTES_OF_NAME if names.insert(name) => {}
            1..=MAX_BYTES_OF_NAME => return Err(DocumentError::new("appears twice").under(name)),
            size => {
                let what = format!("the name has {size} bytes, {MAX_BYTES_OF_NAME} are possible");
                return Err(DocumentError::new(what).under(name));
            }
        }
    }
    let read = |(name, raw): (String, &RawValue)| match read(raw) {
        Ok(value) => Ok((name, value)),
        Err(fault) => Err(fault.under(&name)),
    };
    members.into_iter().map(read).collect()
}

fn list<T>(raw: &RawValue, element: impl Fn(&RawValue) -> Result<T, DocumentError>) -> Result<Vec<T>, DocumentError> {
    if !raw.get().starts_with('[') {
        return Err(DocumentError::new("needs an array"));
    }
    let elements: Vec<&RawValue> = parse(raw.get())?;
    elements.into_iter().enumerate().map(|(index, raw)| element(raw).map_err(|fault| fault.at(index))).collect()
}

/// A set has members, and no two that are equal.
fn set<T, I: Hash + Eq>(
    raw: &RawValue,
    member: impl Fn(&RawValue) -> Result<T, DocumentError>,
    identity: impl Fn(&T) -> I,
) -> Result<Vec<T>, DocumentError> {
    let members = list(raw, member)?;
    if members.is_empty() {
        return Err(DocumentError::new("a set may not be empty"));
    }
    let mut seen = HashSet::with_capacity(members.len());
    match members.iter().position(|member| !seen.insert(identity(member))) {
        Some(index) => Err(DocumentError::new("is in the set already").at(index)),
        None => Ok(members),
    }
}

/// An object's members as they stand, those with one name too: a map would drop all but the last of them.
pub fn members(object: &str) -> Result<Vec<(String, &RawValue)>, DocumentError> {
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
