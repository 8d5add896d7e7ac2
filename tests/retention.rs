//! Tests that the times for which data is kept add up. The table of docs/operating.md is generated
//! from them ([`scale::operations::retention`]).

use std::fs;

use local::template::filter::Pattern;
use local::template::{Function, Template};
use saphyr::{LoadableYamlNode as _, Yaml};
use scale::operations::retention::{Retention, STREAM_DAYS};
use serde_json::{Value, json};
use tests::stack::root;

/// The time that a restore may take, from the last second of the backup to the deletions that are
/// repeated, in days.
const RESTORE_DAYS: i64 = 14;

/// A restore brings back whom a deletion has erased since. Only the access log names them.
#[test]
fn the_access_log_outlives_every_backup() {
    let text = fs::read_to_string(root().join("template.yaml")).unwrap();
    let parameters = &Yaml::load_from_str(&text).unwrap()[0]["Parameters"];
    let logs = parameters["AccessLogRetentionDays"]["AllowedValues"].as_vec().unwrap();
    let shortest = logs.iter().map(|days| days.as_integer().unwrap()).min().unwrap();
    let backups = parameters["RecoveryPeriodInDays"]["MaxValue"].as_integer().unwrap();
    assert!(shortest >= backups + RESTORE_DAYS, "{shortest} days of logs, and {backups} days of backups");
}

/// A message of the queue says which records of a stream to read again, so it has to outlive them,
/// and no more than a weekend with a holiday on either side, because the message of an upload has a
/// username and an address.
#[test]
fn the_queue_outlives_the_streams_by_a_weekend() {
    let days = Retention::read(&root()).unwrap().queue_days().unwrap();
    assert!((STREAM_DAYS + 3..=4).contains(&days), "{days} days");
}

/// Returns the names of the functions that get the record of the expiry of an item. DynamoDB deletes
/// every item that expires with a record in the stream.
fn started_by_expiry(pk: &str, sk: &str, mut image: Value) -> Vec<String> {
    let key = json!({"PK": {"S": pk}, "SK": {"S": sk}});
    image["PK"] = key["PK"].clone();
    image["SK"] = key["SK"].clone();
    image["ttl"] = json!({"N": "1803200000"});
    let user = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
    started_by(&json!({"eventName": "REMOVE", "userIdentity": user, "dynamodb": {"Keys": key, "OldImage": image}}))
}

/// Returns the functions that a record of a stream starts.
fn started_by(record: &Value) -> Vec<String> {
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let functions: Vec<_> = template.functions.iter().filter(|function| !function.mappings.is_empty()).collect();
    assert!(functions.len() > 3, "{functions:?}");
    let matches = |filters: &[Pattern]| !filters.is_empty() && filters.iter().any(|filter| filter.matches(record));
    let gets = |function: &&&Function| function.mappings.iter().any(|mapping| matches(&mapping.filters));
    functions.iter().filter(gets).map(|function| function.name.clone()).collect()
}

#[test]
fn a_tombstone_that_the_audit_puts_starts_the_deletion_of_the_replies_and_the_trace_of_a_photo_nothing() {
    let insert = |pk: &str, sk: &str, image: Value| {
        let keys = json!({"PK": {"S": pk}, "SK": {"S": sk}});
        started_by(&json!({"eventName": "INSERT", "dynamodb": {"Keys": keys, "NewImage": image}}))
    };
    let tombstone = json!({"erasing": {"S": "ben"}, "replies": {"N": "1"}});
    let started = insert("COMMENT#2024-06-02T18:05:41.250Z#ben", "PHOTO#ada#2024-05-30T15:42:38", tombstone);
    assert!(started.contains(&"finish-deletion".to_owned()), "{started:?}");
    let trace = json!({"erasing": {"S": "ada"}, "ttl": {"N": "1803200000"}});
    assert_eq!(insert("USER#ada", "PHOTO#ada#2024-05-30T15:42:38", trace), [""; 0]);
}

#[test]
fn an_expired_welcome_and_an_expired_visitor_start_no_function() {
    let welcome = json!({"subject": {"S": "a"}, "welcomed": {"S": "2026-11-24T10:00:00.000Z"}});
    assert_eq!(started_by_expiry("SUBJECT#a", "#WELCOME#a", welcome), [""; 0]);
    let visitor = json!({"hash": {"S": "a"}, "reports": {"N": "1"}, "links": {"SS": ["a"]}});
    assert_eq!(started_by_expiry("VISITOR#a", "#VISITOR#a", visitor), [""; 0]);
}

#[test]
fn an_expired_link_and_a_name_that_has_rested_start_finish_deletion() {
    let rest = json!({"resting": {"S": "a"}, "since": {"S": "2026-11-24T10:00:00.000Z"}});
    assert_eq!(started_by_expiry("REST#a", "#REST#a", rest), ["finish-deletion"]);
    let target = json!({"owner": {"S": "ada"}});
    assert_eq!(started_by_expiry("SHARE#a", "#SHARE#a", target), ["finish-deletion"]);
}
