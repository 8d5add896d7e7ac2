//! Items that expire. DynamoDB deletes an item only [within a few
//! days](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html) after the time
//! in its attribute `ttl`. So each reader of such an item checks whether it has expired.

use crate::dynamodb::Item;
use crate::values::EpochMillis;

/// The attribute with the time at which an item expires, in seconds since 1970.
pub const TTL: &str = "ttl";

/// Returns whether an item with this `ttl` has expired, by the clock of this process.
#[must_use]
pub fn is_over(ttl: u64) -> bool {
    ttl <= EpochMillis::now().seconds()
}

/// Returns whether an item has a `ttl` that is over.
#[must_use]
pub fn has_expired(item: &Item) -> bool {
    let ttl = item.get(TTL).and_then(|ttl| ttl.as_n().ok()?.parse().ok());
    ttl.is_some_and(is_over)
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue::{N, S};

    use super::*;

    #[test]
    fn an_item_counts_until_its_ttl() {
        let now = EpochMillis::now().seconds();
        let item = |ttl| Item::from([("pk".to_owned(), S("a".to_owned())), (TTL.to_owned(), ttl)]);
        for over in [0, 1, now - 1, now] {
            assert!(has_expired(&item(N(over.to_string()))), "{over}");
        }
        assert!(!has_expired(&item(N((now + 60).to_string()))));
        // DynamoDB does not delete items without a number in this attribute.
        for never in [S("1".to_owned()), N("-1".to_owned())] {
            assert!(!has_expired(&item(never)));
        }
        assert!(!has_expired(&Item::new()));
    }
}
