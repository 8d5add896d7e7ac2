//! Documents: schemaless items in the two formats in which clients read and write them.
//!
//! | [type](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_AttributeValue.html) | plain JSON | DynamoDB JSON |
//! |---|---|---|
//! | string | `"Ada"` | `{"S": "Ada"}` |
//! | number | `29` | `{"N": "29"}` |
//! | binary | shown as base64: `"AAEC"` | `{"B": "AAEC"}` |
//! | boolean | `true` | `{"BOOL": true}` |
//! | null | `null` | `{"NULL": true}` |
//! | list | `[1, "a"]` | `{"L": [{"N": "1"}, {"S": "a"}]}` |
//! | map | `{"a": 1}` | `{"M": {"a": {"N": "1"}}}` |
//! | string set | shown as an array: `["a", "b"]` | `{"SS": ["a", "b"]}` |
//! | number set | shown as an array: `[1, 2]` | `{"NS": ["1", "2"]}` |
//! | binary set | shown as an array: `["AA==", "AQ=="]` | `{"BS": ["AA==", "AQ=="]}` |
//!
//! DynamoDB JSON is lossless. Plain JSON keeps every digit of a number and shows sets and binary
//! values, but cannot express them: when it is read, its arrays become lists and its strings stay
//! strings. A [`patch()`] leaves alone all attributes that it does not name, so a set stays a set.
//!
//! Neither `serde_dynamo` nor [`serde_json::Value`] is used, because both read a number that is not
//! a 64-bit integer as an `f64`, which keeps 17 of the [38
//! digits](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number).
//! A value that DynamoDB would refuse is a [`DocumentError`] with the path of the value.

mod equality;
mod error;
mod number;
mod patch;
mod read;
mod size;
#[cfg(test)]
mod tests;
mod truncate;
mod write;

pub use equality::same;
pub use error::DocumentError;
pub use number::{MAX_DIGITS, Number};
pub use patch::{AttributeChange, AttributeChanges, apply, patch, patch_nested};
pub use read::{MAX_LEVELS, read, read_line, read_nested};
pub use size::{MAX_BYTES, size, within_limits};
pub use write::{Document, write};
