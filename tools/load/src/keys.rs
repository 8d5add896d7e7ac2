//! What a table wants of an item: its keys, those of its indexes, and the size.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, KeySchemaElement, KeyType, ScalarAttributeType, TableDescription};

use shared::document::{self, Number};
use shared::dynamodb::Item;
use shared::model::catalogue::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES};

/// The value of a primary key; equal where DynamoDB finds two keys equal.
pub(super) type Key = Vec<Vec<u8>>;

/// The keys of a table and of its indexes.
#[derive(Debug)]
pub(super) struct Keys {
    primary: Vec<KeyAttribute>,
    of_indexes: Vec<KeyAttribute>,
}

#[derive(Debug)]
struct KeyAttribute {
    name: String,
    kind: ScalarAttributeType,
    most: usize,
    /// "the key" or "the key of index …", for errors.
    whose: String,
}

impl Keys {
    pub(super) fn of(table: &TableDescription) -> Self {
        let kinds: HashMap<&str, &ScalarAttributeType> = table
            .attribute_definitions()
            .iter()
            .map(|attribute| (attribute.attribute_name(), attribute.attribute_type()))
            .collect();
        let attributes = |schema: &[KeySchemaElement], whose: &str| -> Vec<KeyAttribute> {
            schema
                .iter()
                .map(|element| KeyAttribute {
                    name: element.attribute_name().to_owned(),
                    kind: kinds.get(element.attribute_name()).map_or(ScalarAttributeType::S, |&kind| kind.clone()),
                    most: if *element.key_type() == KeyType::Hash {
                        MAX_PARTITION_KEY_BYTES
                    } else {
                        MAX_SORT_KEY_BYTES
                    },
                    whose: whose.to_owned(),
                })
                .collect()
        };
        let global = table.global_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
        let local = table.local_secondary_indexes().iter().map(|index| (index.index_name(), index.key_schema()));
        Self {
            primary: attributes(table.key_schema(), "the key"),
            of_indexes: global
                .chain(local)
                .flat_map(|(name, schema)| {
                    attributes(schema, &format!("the key of index {}", name.unwrap_or_default()))
                })
                .collect(),
        }
    }

    /// The item's key, when DynamoDB will take the item into this table.
    pub(super) fn accept(&self, item: &Item) -> Result<Key, String> {
        let key = self.key(item)?;
        for attribute in &self.of_indexes {
            if let Some(value) = item.get(&attribute.name) {
                attribute.bytes(value)?;
            }
        }
        document::within_limits(item).map_err(|fault| fault.to_string())?;
        Ok(key)
    }

    /// The value of the item's primary key.
    pub(super) fn key(&self, item: &Item) -> Result<Key, String> {
        self.primary
            .iter()
            .map(|attribute| match item.get(&attribute.name) {
                Some(value) => attribute.bytes(value),
                None => Err(format!("{} is missing, an attribute of {}", attribute.name, attribute.whose)),
            })
            .collect()
    }
}

impl KeyAttribute {
    fn bytes(&self, value: &AttributeValue) -> Result<Vec<u8>, String> {
        let Self { name, kind, most, whose } = self;
        let bytes = match (kind, value) {
            (ScalarAttributeType::S, AttributeValue::S(text)) => text.as_bytes().to_vec(),
            (ScalarAttributeType::B, AttributeValue::B(bytes)) => bytes.as_ref().to_vec(),
            (ScalarAttributeType::N, AttributeValue::N(text)) => {
                return Number::parse(text).map(Number::canonical).map_err(|fault| fault.to_string());
            }
            (_, other) => {
                return Err(format!("{name} is of type {}, {whose} needs {}", type_name(other), kind.as_str()));
            }
        };
        match bytes.len() {
            0 => Err(format!("{name} is empty, an attribute of {whose}")),
            size if size > *most => Err(format!("{name} has {size} bytes, {most} are possible in {whose}")),
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
