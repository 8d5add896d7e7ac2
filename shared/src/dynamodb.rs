//! The table that a function works on, and what the SDK leaves to its caller: retries of batches and transactions.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;

pub mod batch;
pub mod transaction;

/// An item in the types of the SDK: attribute values by attribute name.
pub type Item = HashMap<String, AttributeValue>;

/// The table that a function works on.
#[derive(Debug, Clone)]
pub struct Table {
    /// The only DynamoDB client of the process.
    pub client: Client,
    /// The name of the table.
    pub name: String,
}
