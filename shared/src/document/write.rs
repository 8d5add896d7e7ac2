//! Writing of documents.

use std::collections::BTreeMap;
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Serialize;
use serde::ser::{Error as _, SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::number::{Number, short};
use crate::Error;
use crate::dynamodb::Item;
use crate::values::DocumentFormat;

/// A document as JSON text. It serializes as this text.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Document(Box<RawValue>);

impl Document {
    /// Returns the text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Document {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Document".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A schemaless item. Its attributes have any names and any values that DynamoDB can store.",
            "type": "object",
            "examples": [{"title": "Nine Windows", "year": 1962, "labels": ["jazz", "live"]}],
        })
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

/// Writes a document as JSON text, with names in byte order.
pub fn write(format: DocumentFormat, item: &Item) -> Result<Document, Error> {
    Ok(Document(to_raw_value(&Map(format, item))?))
}

struct Map<'a>(DocumentFormat, &'a Item);

impl Serialize for Map<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(format, map) = *self;
        serializer.collect_map(map.iter().map(|(name, value)| (name, Value(format, value))).collect::<BTreeMap<_, _>>())
    }
}

struct List<'a>(DocumentFormat, &'a [AttributeValue]);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|element| Value(self.0, element)))
    }
}

struct Value<'a>(DocumentFormat, &'a AttributeValue);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            DocumentFormat::Json => plain(self.1, serializer),
            DocumentFormat::DynamoDb => typed(self.1, serializer),
        }
    }
}

fn plain<S: Serializer>(value: &AttributeValue, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        AttributeValue::S(text) => serializer.serialize_str(text),
        AttributeValue::N(text) => PlainNumber(text).serialize(serializer),
        AttributeValue::B(bytes) => Base64(bytes.as_ref()).serialize(serializer),
        AttributeValue::Bool(value) => serializer.serialize_bool(*value),
        AttributeValue::Null(_) => serializer.serialize_unit(),
        AttributeValue::L(elements) => List(DocumentFormat::Json, elements).serialize(serializer),
        AttributeValue::M(map) => Map(DocumentFormat::Json, map).serialize(serializer),
        AttributeValue::Ss(texts) => texts.serialize(serializer),
        AttributeValue::Ns(texts) => serializer.collect_seq(texts.iter().map(|text| PlainNumber(text))),
        AttributeValue::Bs(all) => serializer.collect_seq(all.iter().map(|bytes| Base64(bytes.as_ref()))),
        other => Err(S::Error::custom(format!("{other:?} has an unknown type"))),
    }
}

fn typed<S: Serializer>(value: &AttributeValue, serializer: S) -> Result<S::Ok, S::Error> {
    let mut typed = serializer.serialize_map(Some(1))?;
    match value {
        AttributeValue::S(text) => typed.serialize_entry("S", text)?,
        AttributeValue::N(text) => typed.serialize_entry("N", &short(text))?,
        AttributeValue::B(bytes) => typed.serialize_entry("B", &Base64(bytes.as_ref()))?,
        AttributeValue::Bool(value) => typed.serialize_entry("BOOL", value)?,
        AttributeValue::Null(value) => typed.serialize_entry("NULL", value)?,
        AttributeValue::L(elements) => typed.serialize_entry("L", &List(DocumentFormat::DynamoDb, elements))?,
        AttributeValue::M(map) => typed.serialize_entry("M", &Map(DocumentFormat::DynamoDb, map))?,
        AttributeValue::Ss(texts) => typed.serialize_entry("SS", texts)?,
        AttributeValue::Ns(texts) => {
            typed.serialize_entry("NS", &texts.iter().map(|text| short(text)).collect::<Vec<_>>())?;
        }
        AttributeValue::Bs(all) => {
            typed.serialize_entry("BS", &all.iter().map(|bytes| Base64(bytes.as_ref())).collect::<Vec<_>>())?;
        }
        other => return Err(S::Error::custom(format!("{other:?} has an unknown type"))),
    }
    typed.end()
}

struct Base64<'a>(&'a [u8]);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(self.0))
    }
}

/// A number in plain JSON: its [`short`] text if that is a JSON number, else the [`short`] text of
/// its canonical text. DynamoDB accepts `+1`, `01` and `.5`, which JSON does not.
struct PlainNumber<'a>(&'a str);

impl Serialize for PlainNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = Number::parse(self.0).map_err(S::Error::custom)?;
        match serde_json::from_str::<&RawValue>(&short(self.0)) {
            Ok(json) => json.serialize(serializer),
            Err(_) => RawValue::from_string(short(&number.to_string()).into_owned())
                .map_err(S::Error::custom)?
                .serialize(serializer),
        }
    }
}
