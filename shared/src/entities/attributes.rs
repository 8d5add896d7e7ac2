//! The attribute values that several entities of the table have.

use aws_sdk_dynamodb::types::AttributeValue::{self, N};
use serde::{Deserialize, Deserializer};

use crate::values::{DataType, EpochMillis};

/// Returns a time as a number, as `createTime` and `lastAccessTime` of a tag hold it.
#[must_use]
pub fn number(time: EpochMillis) -> AttributeValue {
    N(u64::from(time).to_string())
}

/// Returns the type of a favorite in upper case, as items hold it.
pub(super) fn uppercase(data_type: DataType) -> String {
    data_type.as_ref().to_ascii_uppercase()
}

/// Deserializes the type of a favorite from any case.
pub(super) fn data_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DataType, D::Error> {
    String::deserialize(deserializer)?.to_ascii_lowercase().parse().map_err(serde::de::Error::custom)
}
