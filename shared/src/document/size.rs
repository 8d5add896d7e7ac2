//! The size of an item.

use aws_sdk_dynamodb::types::AttributeValue;

use super::error::DocumentError;
use super::number::Number;
use crate::dynamodb::Item;

/// The maximum size of an item in bytes, with names and values: [400
/// KB](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items).
pub const MAX_BYTES: usize = 400 * 1024;

/// Fails for an item that is larger than [`MAX_BYTES`]. [`read`](super::read()) and
/// [`patch`](super::patch()) check all other limits.
pub fn within_limits(item: &Item) -> Result<(), DocumentError> {
    match size(item) {
        0..=MAX_BYTES => Ok(()),
        size => Err(DocumentError::new(format!(
            "must be at most {MAX_BYTES} bytes (400 KB) in size as an item; it has {size} bytes"
        ))),
    }
}

/// Returns the size of an item in bytes, [as DynamoDB counts
/// it](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html).
#[must_use]
pub fn size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + size_of_value(value)).sum()
}

fn size_of_value(value: &AttributeValue) -> usize {
    let number = |text: &String| Number::parse(text).map_or(0, |number| number.size());
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(text) => number(text),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(texts) => texts.iter().map(number).sum(),
        AttributeValue::Bs(all) => all.iter().map(|bytes| bytes.as_ref().len()).sum(),
        AttributeValue::L(elements) => 3 + elements.iter().map(|element| 1 + size_of_value(element)).sum::<usize>(),
        AttributeValue::M(map) => 3 + map.len() + size(map),
        _ => 1,
    }
}
