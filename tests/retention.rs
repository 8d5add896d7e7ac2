//! Tests that the times for which data is kept add up. The table of docs/operating.md is generated
//! from them ([`scale::operations::retention`]).

use std::fs;

use local::template::Template;
use saphyr::{LoadableYamlNode as _, Yaml};
use scale::operations::retention::{Retention, STREAM_DAYS};
use serde_json::json;
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

/// DynamoDB deletes a Welcome with a record in the stream, like any item that expires.
#[test]
fn an_expired_welcome_starts_no_function() {
    let key = json!({"PK": {"S": "SUBJECT#a"}, "SK": {"S": "#WELCOME#a"}});
    let image = json!({
        "PK": {"S": "SUBJECT#a"}, "SK": {"S": "#WELCOME#a"}, "subject": {"S": "a"},
        "welcomed": {"S": "2026-11-24T10:00:00.000Z"}, "ttl": {"N": "1803200000"},
    });
    let user = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
    let record = json!({"eventName": "REMOVE", "userIdentity": user, "dynamodb": {"Keys": key, "OldImage": image}});
    let template = Template::read(&Template::find().unwrap()).unwrap();
    let functions: Vec<_> = template.functions.iter().filter(|function| !function.mappings.is_empty()).collect();
    assert!(functions.len() > 3, "{functions:?}");
    for function in functions {
        for filter in function.mappings.iter().flat_map(|mapping| &mapping.filters) {
            assert!(!filter.matches(&record), "{} gets {record}", function.name);
        }
    }
}
