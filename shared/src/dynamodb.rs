//! The table of a function, and the retries of batches and transactions that the SDK leaves to its caller.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;

pub mod batch;
pub mod transaction;

/// An item in the types of the SDK: the attribute values by name.
pub type Item = HashMap<String, AttributeValue>;

/// The table that a function reads and writes, with the client to do so.
#[derive(Debug, Clone)]
pub struct Table {
    /// The DynamoDB client, of which a process has only one.
    pub client: Client,
    /// The name of the table.
    pub name: String,
}
