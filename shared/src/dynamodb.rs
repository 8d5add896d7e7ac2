//! The table of a function, the conversion of its items, the retries of batches and transactions
//! that the SDK leaves to its caller, and the decrements of counts.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::AttributeValue;

use crate::Error;

pub mod batch;
pub mod counter;
pub mod entity;
pub mod expiry;
pub mod key_attributes;
pub mod memory;
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

impl Table {
    /// Returns another table, with the client of this one.
    #[must_use]
    pub fn other(&self, name: &str) -> Self {
        Self { client: self.client.clone(), name: name.to_owned() }
    }
}

/// Returns the output of a single write, such as an `UpdateItem`, or `None` if its condition
/// failed.
pub fn unless_condition_failed<T, E>(result: Result<T, SdkError<E>>) -> Result<Option<T>, Error>
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match result {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.code() == Some("ConditionalCheckFailedException") => Ok(None),
        Err(error) => Err(error.into()),
    }
}
