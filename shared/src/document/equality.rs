//! Equality of documents.

use aws_sdk_dynamodb::types::AttributeValue;

use super::number::Number;
use crate::dynamodb::Item;

/// Returns whether two documents are equal. Numbers are compared by value, because DynamoDB stores
/// `1.0` as `1`.
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
