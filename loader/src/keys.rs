//! Checks an item against its table before it is sent: the primary key, the keys of the indexes and
//! the item's size.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, KeySchemaElement, KeyType, ScalarAttributeType, TableDescription};

use shared::document::{self, Number};
use shared::dynamodb::Item;
use shared::values::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES};

use super::error::LineError;

/// The value of a primary key, in a form that is equal for two keys that DynamoDB considers equal,
/// such as 1 and 1.0.
pub(super) type Key = Vec<Vec<u8>>;

/// The keys of a table and of its indexes.
#[derive(Debug)]
pub(super) struct Keys {
    primary: Vec<KeyAttribute>,
    indexes: Vec<KeyAttribute>,
}

#[derive(Debug)]
struct KeyAttribute {
    name: String,
    data_type: ScalarAttributeType,
    max_bytes: usize,
    /// "the key" or "the key of index …", for error messages.
    key_name: String,
}

impl Keys {
    pub(super) fn from_description(table: &TableDescription) -> Self {
        let data_types: HashMap<&str, &ScalarAttributeType> = table
            .attribute_definitions()
            .iter()
            .map(|attribute| (attribute.attribute_name(), attribute.attribute_type()))
            .collect();
        let attributes = |schema: &[KeySchemaElement], key_name: &str| -> Vec<KeyAttribute> {
            schema
                .iter()
                .map(|element| KeyAttribute {
                    name: element.attribute_name().to_owned(),
                    data_type: data_types
                        .get(element.attribute_name())
                        .map_or(ScalarAttributeType::S, |&data_type| data_type.clone()),
                    max_bytes: if *element.key_type() == KeyType::Hash {
                        MAX_PARTITION_KEY_BYTES
                    } else {
                        MAX_SORT_KEY_BYTES
                    },
                    key_name: key_name.to_owned(),
                })
                .collect()
        };
        let global = table.global_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
        let local = table.local_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
        Self {
            primary: attributes(table.key_schema(), "the key"),
            indexes: global
                .chain(local)
                .flat_map(|(name, schema)| {
                    attributes(schema, &format!("the key of index {}", name.unwrap_or_default()))
                })
                .collect(),
        }
    }

    /// Returns the item's key if DynamoDB will accept the item into this table.
    pub(super) fn accept(&self, item: &Item) -> Result<Key, LineError> {
        let key = self.key(item)?;
        for attribute in &self.indexes {
            if let Some(value) = item.get(&attribute.name) {
                attribute.bytes(value)?;
            }
        }
        document::within_limits(item)?;
        Ok(key)
    }

    /// Returns the value of the item's primary key.
    pub(super) fn key(&self, item: &Item) -> Result<Key, LineError> {
        self.primary
            .iter()
            .map(|attribute| match item.get(&attribute.name) {
                Some(value) => attribute.bytes(value),
                None => Err(LineError::new(format!(
                    "{} is missing, an attribute of {}",
                    attribute.name, attribute.key_name
                ))),
            })
            .collect()
    }
}

impl KeyAttribute {
    fn bytes(&self, value: &AttributeValue) -> Result<Vec<u8>, LineError> {
        let Self { name, data_type, max_bytes, key_name } = self;
        let bytes = match (data_type, value) {
            (ScalarAttributeType::S, AttributeValue::S(text)) => text.as_bytes().to_vec(),
            (ScalarAttributeType::B, AttributeValue::B(bytes)) => bytes.as_ref().to_vec(),
            (ScalarAttributeType::N, AttributeValue::N(text)) => return Ok(Number::parse(text)?.canonical()),
            (_, other) => {
                let (actual, expected) = (type_name(other), data_type.as_str());
                return Err(LineError::new(format!("{name} is of type {actual}, {key_name} needs {expected}")));
            }
        };
        match bytes.len() {
            0 => Err(LineError::new(format!("{name} is empty, an attribute of {key_name}"))),
            size if size > *max_bytes => {
                Err(LineError::new(format!("{name} has {size} bytes, the maximum in {key_name} is {max_bytes}")))
            }
            _ => Ok(bytes),
        }
    }
}

fn type_name(value: &AttributeValue) -> &'static str {
    match value {
        AttributeValue::S(_) => "S",
        AttributeValue::N(_) => "N",
        AttributeValue::B(_) => "B",
        AttributeValue::Bool(_) => "BOOL",
        AttributeValue::Null(_) => "NULL",
        AttributeValue::L(_) => "L",
        AttributeValue::M(_) => "M",
        AttributeValue::Ss(_) => "SS",
        AttributeValue::Ns(_) => "NS",
        AttributeValue::Bs(_) => "BS",
        _ => "unknown",
    }
}
