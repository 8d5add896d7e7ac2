//! The count of the hot item, beside the number of what it counts.

use std::time::Duration;

use dynoxide::Database;
use serde_json::{Value, json};
use tokio::time::Instant;

/// The count of the hot item over time.
pub(crate) struct Count {
    /// The table and the key of the hot item, as a `GetItem` names them.
    item: Value,
    /// The path of the count in the item.
    path: &'static str,
    /// The attribute that only what is counted has.
    counted: &'static str,
    /// The time at which each counted item was written, in order.
    written: Vec<Instant>,
    value: usize,
    exact_since: Option<Instant>,
    largest_lag: Duration,
    largest_difference: usize,
}

impl Count {
    /// Follows the count at `path` of `item`, which counts the items with the attribute `counted`.
    pub(crate) fn new(item: Value, path: &'static str, counted: &'static str) -> Self {
        Self {
            item,
            path,
            counted,
            written: vec![],
            value: 0,
            exact_since: None,
            largest_lag: Duration::ZERO,
            largest_difference: 0,
        }
    }

    /// Takes note of a write that was served. Items that are counted and deleted again are not
    /// supported.
    pub(crate) fn note(&mut self, database: &Database, operation: &str, body: &Value, now: Instant) {
        let transaction = body["TransactItems"].as_array().into_iter().flatten();
        let puts = transaction.filter_map(|part| part.get("Put")).chain((operation == "PutItem").then_some(body));
        self.written.extend(puts.filter(|put| put["Item"].get(self.counted).is_some()).map(|_| now));

        let is_update = |part: &Value| part["TableName"] == self.item["TableName"] && part["Key"] == self.item["Key"];
        let mut updates = body["TransactItems"].as_array().into_iter().flatten().map(|part| &part["Update"]);
        if updates.any(is_update) || is_update(body) && operation == "UpdateItem" {
            // The oldest write that was not counted so far has waited until now.
            if let Some(oldest) = self.written.get(self.value) {
                self.largest_lag = self.largest_lag.max(now - *oldest);
            }
            self.value = self.read(database);
        }
        self.largest_difference = self.largest_difference.max(self.written.len().abs_diff(self.value));
        let is_exact = self.value == self.written.len();
        self.exact_since = is_exact.then(|| self.exact_since.unwrap_or(now));
    }

    fn read(&self, database: &Database) -> usize {
        let (_, answer) = explore::serve(database, "GetItem", &self.item);
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let count = answer.pointer(self.path).and_then(Value::as_str);
        count.and_then(|count| count.parse().ok()).unwrap_or_default()
    }

    /// Returns the count.
    pub(crate) fn count(&self) -> usize {
        self.value
    }

    /// Returns the time since which the count is exact, or `None` while it is not.
    pub(crate) fn exact_since(&self) -> Option<Instant> {
        self.exact_since
    }

    /// Returns the longest time that the oldest uncounted item has waited, and the largest number
    /// of uncounted ones.
    pub(crate) fn largest_lag(&self) -> (Duration, usize) {
        (self.largest_lag, self.largest_difference)
    }
}

/// Returns the key of an item with text attributes, as a request has it.
pub(crate) fn key(table: &str, item: &[(&str, &str)]) -> Value {
    let key: serde_json::Map<_, _> =
        item.iter().map(|(name, value)| ((*name).to_owned(), json!({"S": value}))).collect();
    json!({"TableName": table, "Key": key, "ConsistentRead": true})
}

#[cfg(test)]
mod tests {
    use local::services::dynamodb;
    use local::template::Template;

    use super::*;

    #[test]
    fn the_lag_is_the_time_that_the_oldest_uncounted_item_waits() {
        let database = Database::memory().unwrap();
        dynamodb::create_tables(&database, &Template::read(&Template::find().unwrap()).unwrap()).unwrap();
        let photo = key("quick-photos", &[("PK", "USER#ada"), ("SK", "PHOTO#ada#1")]);
        let mut count = Count::new(photo.clone(), "/Item/n/N", "reactingUser");
        let start = Instant::now();
        let mut note = |operation, body: &Value, seconds| {
            let (status, answer) = explore::serve(&database, operation, body);
            assert_eq!(status, 200, "{answer}");
            count.note(&database, operation, body, start + Duration::from_secs(seconds));
        };
        for number in 1..=3 {
            let text = |text: String| json!({"S": text});
            let item = json!({
                "PK": text(format!("REACTION#{number}")), "SK": text("PHOTO#ada#1".to_owned()), "reactingUser": text("a".to_owned()),
                "reactionType": text("heart".to_owned()), "timestamp": text("1".to_owned()),
            });
            note("PutItem", &json!({"TableName": "quick-photos", "Item": item}), number);
        }
        let mut add = photo.clone();
        add.as_object_mut().unwrap().remove("ConsistentRead");
        add["UpdateExpression"] = json!("ADD n :n");
        add["ExpressionAttributeValues"] = json!({":n": {"N": "2"}});
        // The first item has waited from 1 to 5, and the third one from 3 to 9.
        note("UpdateItem", &add, 5);
        add["ExpressionAttributeValues"] = json!({":n": {"N": "1"}});
        note("TransactWriteItems", &json!({"TransactItems": [{"Update": add}]}), 9);
        assert_eq!(count.count(), 3);
        assert_eq!(count.largest_lag(), (Duration::from_secs(6), 3));
        assert_eq!(count.exact_since(), Some(start + Duration::from_secs(9)));
    }
}
