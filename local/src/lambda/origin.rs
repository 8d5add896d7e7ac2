//! The origin of an invocation: its request id, its trace, and its cause.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use shared::entities::object::photo_of_incoming_key;
use shared::entities::{PK, SK, photo_sk, user_pk};
use uuid::Uuid;

use crate::activity::Writers;
use crate::trace::Trace;

/// The request id and the trace of an invocation, and the request of the API that it answers.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The request id of the invocation.
    pub id: String,
    /// The trace, which is that of the function's requests to DynamoDB too.
    pub trace: Trace,
    /// The id of the request of the API. Other invocations have none.
    pub request: Option<String>,
}

impl Origin {
    /// Returns the origin of an invocation that answers a request of the API.
    #[must_use]
    pub fn for_request(id: &str, trace: Trace) -> Self {
        Self { id: Uuid::new_v4().to_string(), trace, request: Some(id.to_owned()) }
    }

    /// Returns the origin of any other invocation with this request id. It has a trace of its own.
    #[must_use]
    pub fn for_event(id: &str) -> Self {
        Self { id: id.to_owned(), trace: Trace::start(), request: None }
    }

    /// Returns the cause of an invocation with this event, as the event `invocation` has it.
    pub(crate) fn cause(&self, event: &[u8], writers: &Writers) -> Value {
        if let Some(request) = &self.request {
            return json!({"request": request});
        }
        let event: Value = serde_json::from_slice(event).unwrap_or_default();
        // A function that is an on-failure destination gets the event of the other function as a
        // part of its own.
        let records = [&event["Records"], &event["requestPayload"]["Records"]];
        let records = records.into_iter().find_map(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match records.first().and_then(|record| record["eventSource"].as_str()) {
            Some("aws:dynamodb") => {
                json!({"records": records.iter().map(|record| stream_record(record, writers)).collect::<Vec<_>>()})
            }
            Some("aws:s3") => {
                let key = records[0]["s3"]["object"]["key"].as_str().unwrap_or_default().replace('+', " ");
                let key = percent_decode_str(&key).decode_utf8_lossy();
                json!({"event": key, "writtenBy": uploaded_by(&key, writers).map(|trace| trace.to_string())})
            }
            Some("aws:sqs") => {
                let queue = records[0]["eventSourceARN"].as_str().unwrap_or_default().rsplit(':').next();
                let record: Value =
                    serde_json::from_str(records[0]["body"].as_str().unwrap_or_default()).unwrap_or_default();
                let writer = writers.tables().find_map(|table| writers.of_record(table, &record));
                json!({"event": queue, "writtenBy": writer.map(|trace| trace.to_string())})
            }
            _ => json!({"event": event["triggerSource"].as_str().unwrap_or("direct"), "writtenBy": null}),
        }
    }
}

/// Describes a stream record that a function gets.
fn stream_record(record: &Value, writers: &Writers) -> Value {
    let table = record["eventSourceARN"].as_str().unwrap_or_default().split('/').nth(1).unwrap_or_default();
    let change = &record["dynamodb"];
    json!({
        "table": table,
        "sequenceNumber": change["SequenceNumber"],
        "eventName": record["eventName"],
        "keys": change["Keys"],
        "old": change.get("OldImage").is_some(),
        "new": change.get("NewImage").is_some(),
        "writtenBy": writers.of_record(table, record).map(|trace| trace.to_string()),
    })
}

/// Returns the trace of the request that created the photo for which this object was uploaded: the
/// upload itself is no request to DynamoDB.
fn uploaded_by(key: &str, writers: &Writers) -> Option<Trace> {
    let (owner, timestamp, _) = photo_of_incoming_key(key)?;
    let key = json!({PK: {"S": user_pk(&owner)}, SK: {"S": photo_sk(&owner, &timestamp)}});
    // Only one table has items with such a key.
    writers.tables().find_map(|table| writers.of_item(table, &key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Table;

    fn writers() -> Writers {
        let create = json!({"KeySchema": [{"AttributeName": PK}, {"AttributeName": SK}]});
        Writers::new(&[Table { logical_id: "T".to_owned(), name: "photos".to_owned(), create, ttl: None }])
    }

    fn cause(event: &Value, writers: &Writers) -> Value {
        Origin::for_event("1").cause(event.to_string().as_bytes(), writers)
    }

    #[test]
    fn an_upload_names_its_key_and_the_request_that_created_the_photo() {
        let (writers, trace) = (writers(), Trace::start());
        let (ada, time) = ("ada".parse().unwrap(), "2024-05-30T15:42:38".parse().unwrap());
        let item = json!({PK: {"S": user_pk(&ada)}, SK: {"S": photo_sk(&ada, &time)}});
        writers.begin("PutItem", &json!({"TableName": "photos", "Item": item}), &trace);
        let key = "incoming/ada/2024-05-30T15%3A42%3A38";
        let event = json!({"Records": [{"eventSource": "aws:s3", "s3": {"object": {"key": key}}}]});
        let expected = json!({"event": "incoming/ada/2024-05-30T15:42:38", "writtenBy": trace.to_string()});
        assert_eq!(cause(&event, &writers), expected);
        assert_eq!(cause(&json!({"requestPayload": event}), &writers), expected);
        let other = json!({"Records": [{"eventSource": "aws:s3", "s3": {"object": {"key": "a+b"}}}]});
        assert_eq!(cause(&other, &writers), json!({"event": "a b", "writtenBy": null}));
    }

    #[test]
    fn other_events_are_triggers_or_direct() {
        let direct = json!({"event": "direct", "writtenBy": null});
        assert_eq!(cause(&json!({}), &writers()), direct);
        assert_eq!(Origin::for_event("1").cause(b"", &writers()), direct);
        let trigger = json!({"triggerSource": "PreSignUp_SignUp"});
        assert_eq!(cause(&trigger, &writers())["event"], "PreSignUp_SignUp");
        let request = Origin::for_request("r", Trace::start());
        assert_eq!(request.cause(b"{}", &writers()), json!({"request": "r"}));
    }
}
