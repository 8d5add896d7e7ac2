//! One JSON text to one item without loss: plain JSON (`{"age": 29}`) or DynamoDB JSON (`{"age": {"N": "29"}}`).
//!
//! Values are read as raw text first and by their first byte then, so that a number stays the text that it was: through
//! an `f64` it would lose everything beyond 17 digits.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::number::Number;

/// An item as the SDK takes it.
pub type Item = HashMap<String, AttributeValue>;

/// Levels of maps and lists in an attribute.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-attributes>
const MAX_DEPTH: usize = 32;

/// Why a text is no item: the path of the value (`PromotionInfo.TourDates[2]`) and what is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    path: String,
    what: String,
}

impl Fault {
    fn new(what: impl Into<String>) -> Self {
        Self { path: String::new(), what: what.into() }
    }

    fn under(mut self, name: &str) -> Self {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{name}{separator}{}", self.path);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.what) } else { write!(f, "{}: {}", self.path, self.what) }
    }
}

impl std::error::Error for Fault {}

/// Reads one item. The form needs no telling: an item has a key, a key is a string, number or binary, so in plain JSON at
/// least one attribute is no object, and in DynamoDB JSON all are. An export's `{"Item": {…}}` is unwrapped.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html>
pub fn item(text: &str) -> Result<Item, Fault> {
    let Fields(mut fields) = parse(text)?;
    if let [(name, inner)] = fields.as_slice()
        && name == "Item"
        && is_object(inner)
    {
        fields = self::fields(inner)?;
    }
    let read = if fields.iter().all(|(_, value)| is_object(value)) { typed } else { plain };
    map(fields, |value| read(value, 0))
}

fn plain(raw: &RawValue, depth: usize) -> Result<AttributeValue, Fault> {
    within_depth(depth)?;
    Ok(match raw.get().as_bytes() {
        [b'{', ..] => AttributeValue::M(map(fields(raw)?, |value| plain(value, depth + 1))?),
        [b'[', ..] => AttributeValue::L(list(raw, |value| plain(value, depth + 1))?),
        [b'"', ..] => AttributeValue::S(parse(raw.get())?),
        b"true" => AttributeValue::Bool(true),
        b"false" => AttributeValue::Bool(false),
        b"null" => AttributeValue::Null(true),
        _ => AttributeValue::N(number(raw.get())?),
    })
}

fn typed(raw: &RawValue, depth: usize) -> Result<AttributeValue, Fault> {
    within_depth(depth)?;
    if !is_object(raw) {
        return Err(Fault::new("DynamoDB JSON needs an object with a type here, as in {\"S\": \"…\"}"));
    }
    let fields = fields(raw)?;
    let [(kind, content)] = fields.as_slice() else {
        return Err(Fault::new(format!("has {} types, one is needed", fields.len())));
    };
    let value = match kind.as_str() {
        "S" => string(content).map(AttributeValue::S),
        "N" => string(content).and_then(|text| number(&text)).map(AttributeValue::N),
        "B" => binary(content).map(AttributeValue::B),
        "BOOL" => match content.get() {
            "true" => Ok(AttributeValue::Bool(true)),
            "false" => Ok(AttributeValue::Bool(false)),
            _ => Err(Fault::new("needs true or false")),
        },
        "NULL" if content.get() == "true" => Ok(AttributeValue::Null(true)),
        "NULL" => Err(Fault::new("needs true")),
        "L" => return list(content, |value| typed(value, depth + 1)).map(AttributeValue::L),
        "M" if is_object(content) => {
            return map(self::fields(content)?, |value| typed(value, depth + 1)).map(AttributeValue::M);
        }
        "M" => Err(Fault::new("needs an object")),
        "SS" => set(content, string, Clone::clone).map(AttributeValue::Ss),
        "NS" => set(content, |raw| string(raw).and_then(|text| number(&text)), |text| Number::parse(text).ok())
            .map(AttributeValue::Ns),
        "BS" => set(content, binary, |blob| blob.as_ref().to_vec()).map(AttributeValue::Bs),
        _ => return Err(Fault::new(format!("{kind:?} is no type of DynamoDB's"))),
    };
    value.map_err(|fault| fault.under(kind))
}

fn within_depth(depth: usize) -> Result<(), Fault> {
    if depth < MAX_DEPTH { Ok(()) } else { Err(Fault::new(format!("nested over {MAX_DEPTH} levels"))) }
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| {
        let what = error.to_string().replace(" at line 1 column ", " at column ");
        Fault::new(if error.is_data() { what } else { format!("not JSON: {what}") })
    })
}

fn string(raw: &RawValue) -> Result<String, Fault> {
    if raw.get().starts_with('"') { parse(raw.get()) } else { Err(Fault::new("needs a string")) }
}

/// The text as it was, when it is a number that DynamoDB can store.
fn number(text: &str) -> Result<String, Fault> {
    Number::parse(text).map(|_| text.to_owned()).map_err(Fault::new)
}

fn binary(raw: &RawValue) -> Result<Blob, Fault> {
    BASE64_STANDARD.decode(string(raw)?).map(Blob::new).map_err(|error| Fault::new(format!("not base64: {error}")))
}

fn map(
    fields: Vec<(String, &RawValue)>,
    value: impl Fn(&RawValue) -> Result<AttributeValue, Fault>,
) -> Result<Item, Fault> {
    let mut map = HashMap::with_capacity(fields.len());
    for (name, raw) in fields {
        if name.is_empty() {
            return Err(Fault::new("an attribute has an empty name"));
        }
        let value = value(raw).map_err(|fault| fault.under(&name))?;
        if map.contains_key(&name) {
            return Err(Fault::new("appears twice").under(&name));
        }
        map.insert(name, value);
    }
    Ok(map)
}

fn list<T>(raw: &RawValue, element: impl Fn(&RawValue) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    if !raw.get().starts_with('[') {
        return Err(Fault::new("needs an array"));
    }
    let elements: Vec<&RawValue> = parse(raw.get())?;
    elements
        .into_iter()
        .enumerate()
        .map(|(index, raw)| element(raw).map_err(|fault| fault.under(&format!("[{index}]"))))
        .collect()
}

/// A set has members, and no two that are equal.
fn set<T, I: Hash + Eq>(
    raw: &RawValue,
    member: impl Fn(&RawValue) -> Result<T, Fault>,
    identity: impl Fn(&T) -> I,
) -> Result<Vec<T>, Fault> {
    let members = list(raw, member)?;
    if members.is_empty() {
        return Err(Fault::new("a set may not be empty"));
    }
    let mut seen = HashSet::with_capacity(members.len());
    match members.iter().position(|member| !seen.insert(identity(member))) {
        Some(index) => Err(Fault::new("is in the set already").under(&format!("[{index}]"))),
        None => Ok(members),
    }
}

fn fields(raw: &RawValue) -> Result<Vec<(String, &RawValue)>, Fault> {
    parse::<Fields>(raw.get()).map(|fields| fields.0)
}

/// An object's fields as they stand: a map would drop all but the last of those with one name.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
