//! Documents: items of any attributes, in the two forms in which people write and read them.
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
//! DynamoDB JSON loses nothing. Plain JSON loses no digit of a number, and shows sets and binary, but can't say them: what
//! it shows would be read as a list and as a string. A [`patch()`] leaves alone what it doesn't name, so that a set stays
//! a set.
//!
//! Neither `serde_dynamo` nor [`serde_json::Value`] is on the way: they read a number that is no integer of 64 bits as an
//! `f64`, which keeps 17 digits of the
//! [38](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html#HowItWorks.DataTypes.Number).
//! What DynamoDB would refuse is a [`DocumentError`] here, with the path of the value.

mod number;
mod patch;
mod read;
mod size;
#[cfg(test)]
mod tests;
mod write;

use std::borrow::Cow;
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::dynamodb::Item;

pub use number::Number;
pub use patch::{Change, Changes, apply, patch};
pub use read::{members, read};
pub use size::{MAX_BYTES, size, within_limits};
pub use write::write;

/// Why a text is no document: the path of the value (`PromotionInfo.TourDates[2]`) and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// Each name after a point, and each position in brackets.
    path: String,
    what: String,
}

impl DocumentError {
    fn new(what: impl Into<String>) -> Self {
        Self { path: String::new(), what: what.into() }
    }

    fn under(mut self, name: &str) -> Self {
        self.path = format!(".{}{}", abridged(name), self.path);
        self
    }

    /// In a value that says to be of this type, which is no part of the path.
    fn of(mut self, kind: &str) -> Self {
        self.what = format!("{kind}: {}", self.what);
        self
    }

    fn at(mut self, index: usize) -> Self {
        self.path = format!("[{index}]{}", self.path);
        self
    }

    /// Where: names with points between them, and positions in brackets. Empty if it is the document as a whole.
    #[must_use]
    pub fn path(&self) -> &str {
        self.path.strip_prefix('.').unwrap_or(&self.path)
    }

    /// What is wrong there.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() { f.write_str(&self.what) } else { write!(f, "{}: {}", self.path(), self.what) }
    }
}

impl std::error::Error for DocumentError {}

/// Whether two documents are the same, whatever digits a number is written in: DynamoDB keeps `1.0` as `1`.
#[must_use]
pub fn same(a: &Option<Item>, b: &Option<Item>) -> bool {
    fn maps(a: &Item, b: &Item) -> bool {
        a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| values(value, other)))
    }
    fn values(a: &AttributeValue, b: &AttributeValue) -> bool {
        match (a, b) {
            (AttributeValue::N(a), AttributeValue::N(b)) => Number::parse(a).ok() == Number::parse(b).ok(),
            (AttributeValue::M(a), AttributeValue::M(b)) => maps(a, b),
            (AttributeValue::L(a), AttributeValue::L(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values(a, b))
            }
            (a, b) => a == b,
        }
    }
    match (a, b) {
        (Some(a), Some(b)) => maps(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// Names and numbers can be as long as the text that they are in: what an error shows of them is not.
fn abridged(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
