//! The tables of template.yaml.

use anyhow::Result;
use serde_json::{Map, Value, json};

use crate::template::cloudformation::{Document, Node, get};

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
        let property = |name| get(resource, "Properties").and_then(|all| get(all, name));
        let name = property("TableName").map_or_else(|| Ok(id.to_owned()), |name| document.text(name))?;
        let mut create = Map::new();
        create.insert("TableName".to_owned(), json!(name));
        for field in CREATE_TABLE {
            if let Some(node) = property(field)
                && let Some(value) = document.resolve(node)?
            {
                create.insert(field.to_owned(), value);
            }
        }
        // In CloudFormation the specification alone enables a stream. CreateTable needs
        // `StreamEnabled` as well.
        if let Some(node) = property("StreamSpecification")
            && let Some(view) = get(node, "StreamViewType")
        {
            let view = document.text(view)?;
            create.insert("StreamSpecification".to_owned(), json!({"StreamEnabled": true, "StreamViewType": view}));
        }
        let ttl = property("TimeToLiveSpecification").map(|node| document.resolve(node)).transpose()?.flatten();
        let ttl =
            ttl.filter(|ttl| ttl["Enabled"] == true).and_then(|ttl| Some(ttl["AttributeName"].as_str()?.to_owned()));
        Ok(Self { logical_id: id.to_owned(), name, create: Value::from(create), ttl })
    }
}
