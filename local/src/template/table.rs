//! The tables of template.yaml.

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::template::cloudformation::{Document, Node, get, property};

/// A DynamoDB table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name inside the template.
    pub logical_id: String,
    /// Its name in DynamoDB.
    pub name: String,
    /// The body of the `CreateTable` request that creates it.
    pub create: Value,
    /// The attribute that holds the time to live of an item.
    pub ttl: Option<String>,
}

/// The properties of a `CloudFormation` table that `CreateTable` takes unchanged.
const CREATE_TABLE: [&str; 6] = [
    "AttributeDefinitions",
    "KeySchema",
    "GlobalSecondaryIndexes",
    "LocalSecondaryIndexes",
    "VectorIndexes",
    "BillingMode",
];

impl Table {
    /// Reads the table of a resource.
    pub(super) fn read(document: &Document, id: &str, resource: &Node) -> Result<Self> {
        let name = document.physical_name(id, resource)?;
        let mut create = Map::new();
        create.insert("TableName".to_owned(), json!(name));
        for field in CREATE_TABLE {
            if let Some(value) = document.property_as(resource, field)? {
                create.insert(field.to_owned(), value);
            }
        }
        // In CloudFormation the specification alone enables a stream. CreateTable needs
        // `StreamEnabled` as well.
        if let Some(node) = property(resource, "StreamSpecification")
            && let Some(view) = get(node, "StreamViewType")
        {
            let view = document.text(view)?;
            create.insert("StreamSpecification".to_owned(), json!({"StreamEnabled": true, "StreamViewType": view}));
        }
        let ttl: Option<Value> = document.property_as(resource, "TimeToLiveSpecification")?;
        let ttl =
            ttl.filter(|ttl| ttl["Enabled"] == true).and_then(|ttl| Some(ttl["AttributeName"].as_str()?.to_owned()));
        Ok(Self { logical_id: id.to_owned(), name, create: Value::from(create), ttl })
    }
}
