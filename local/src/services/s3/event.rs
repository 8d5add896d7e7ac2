//! The event of a created object.

use std::sync::atomic::{AtomicU64, Ordering};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use time::{OffsetDateTime, macros::format_description};
use uuid::Uuid;

use super::access::KEY;
use crate::template::cloudformation::REGION;

/// The characters of a key that an event encodes. A space becomes `+`.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'*').remove(b' ');

/// The creation of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The event, for example `ObjectCreated:Put`.
    pub event: &'static str,
    /// The name of the bucket.
    pub bucket: String,
    /// The key of the object.
    pub key: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its `ETag` without quotes.
    pub etag: String,
}

impl Created {
    /// Returns the event with which S3
    /// [notifies](https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html)
    /// a function. `configuration` is the id of the notification.
    #[must_use]
    pub fn notification(&self, configuration: &str) -> Value {
        let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        json!({"Records": [{
            "eventVersion": "2.1",
            "eventSource": "aws:s3",
            "awsRegion": REGION,
            "eventTime": OffsetDateTime::now_utc().format(&format).unwrap_or_default(),
            "eventName": self.event,
            "userIdentity": {"principalId": format!("AWS:{KEY}")},
            "requestParameters": {"sourceIPAddress": "127.0.0.1"},
            "responseElements": {
                "x-amz-request-id": Uuid::new_v4().simple().to_string().to_uppercase(),
                "x-amz-id-2": Uuid::new_v4().to_string(),
            },
            "s3": {
                "s3SchemaVersion": "1.0",
                "configurationId": configuration,
                "bucket": {
                    "name": self.bucket,
                    "ownerIdentity": {"principalId": KEY},
                    "arn": format!("arn:aws:s3:::{}", self.bucket),
                },
                "object": {
                    "key": utf8_percent_encode(&self.key, ENCODED).to_string().replace(' ', "+"),
                    "size": self.size,
                    "eTag": self.etag,
                    "sequencer": sequencer(),
                },
            },
        }]})
    }
}

/// Returns a text that is greater than all those before, also than those of an earlier stack.
fn sequencer() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let now = u64::try_from(OffsetDateTime::now_utc().unix_timestamp_nanos()).unwrap_or_default();
    let last = LAST.fetch_max(now, Ordering::SeqCst);
    let next = if last < now { now } else { LAST.fetch_add(1, Ordering::SeqCst) + 1 };
    format!("{next:018X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notification_has_the_shape_of_s3() {
        let created = Created {
            event: "ObjectCreated:Post",
            bucket: "pictures".into(),
            key: "incoming/ada/2024-05-30T15:42:38 ü+".into(),
            size: 3,
            etag: "900150983cd24fb0d6963f7d28e17f72".into(),
        };
        let (mut first, second) = (created.notification("look"), created.notification("look"));
        let sequencer = |event: &Value| event["Records"][0]["s3"]["object"]["sequencer"].as_str().unwrap().to_owned();
        assert!(sequencer(&first) < sequencer(&second));
        for path in [
            "/Records/0/eventTime",
            "/Records/0/responseElements/x-amz-request-id",
            "/Records/0/responseElements/x-amz-id-2",
            "/Records/0/s3/object/sequencer",
        ] {
            assert!(first.pointer_mut(path).unwrap().take().is_string(), "{path}");
        }
        let expected = json!({"Records": [{
            "eventVersion": "2.1",
            "eventSource": "aws:s3",
            "awsRegion": "us-east-1",
            "eventTime": null,
            "eventName": "ObjectCreated:Post",
            "userIdentity": {"principalId": "AWS:local"},
            "requestParameters": {"sourceIPAddress": "127.0.0.1"},
            "responseElements": {"x-amz-request-id": null, "x-amz-id-2": null},
            "s3": {
                "s3SchemaVersion": "1.0",
                "configurationId": "look",
                "bucket": {"name": "pictures", "ownerIdentity": {"principalId": "local"}, "arn": "arn:aws:s3:::pictures"},
                "object": {
                    "key": "incoming/ada/2024-05-30T15%3A42%3A38+%C3%BC%2B",
                    "size": 3,
                    "eTag": "900150983cd24fb0d6963f7d28e17f72",
                    "sequencer": null,
                },
            },
        }]});
        assert_eq!(first, expected);
    }
}
