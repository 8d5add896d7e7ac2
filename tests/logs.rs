//! Tests what functions write to their log: a line for each invocation, and no token and no private
//! field at any level that template.yaml allows.
//!
//! Each function runs as its own binary. It gets its sample event, an event that it cannot parse,
//! its sample event when the items of the tables are malformed, and its sample event when DynamoDB
//! cannot be reached.

mod line;
mod queries;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use local::lambda::build;
use local::lambda::process::Process;
use local::template::{Function, Template};
use local::trace::Trace;
use serde_json::Value;
use testing::harness::Harness;
use tests::stack::build_functions;
use tokio::process::Command;
use tokio::task::JoinSet;

/// The token of every request.
const TOKEN: &str = "eyJraWQiOiJzZWNyZXQifQ.eyJ1c2VybmFtZSI6ImFkYSJ9.c2lnbmF0dXJl";

/// The value of each malformed attribute.
const MALFORMED: &str = "a private value in the wrong place";

/// The fields of events and items that are private.
const PRIVATE_FIELDS: [&str; 12] = [
    "email",
    "address",
    "birthdate",
    "status",
    "interests",
    "name",
    "title",
    "tagName",
    "q",
    "thumbnailUrl",
    "contentUrl",
    "attributes",
];

/// An address that refuses every connection.
const UNREACHABLE: &str = "http://127.0.0.1:1";

/// The number of functions that run at the same time.
const CONCURRENCY: usize = 4;

/// Returns the levels that template.yaml allows for the parameter `LogLevel`.
fn levels(template: &str) -> Vec<String> {
    let parameter = template.split_once("  LogLevel:").unwrap().1;
    let values = parameter.split_once("AllowedValues: [").unwrap().1.split_once(']').unwrap().0;
    values.split(", ").map(str::to_owned).collect()
}

/// Adds the texts in the private fields of a JSON value.
fn add_private_texts(value: &Value, is_private: bool, texts: &mut BTreeSet<String>) {
    match value {
        // A shorter text may be part of an id by chance.
        Value::String(text) if is_private && text.len() > 5 => {
            texts.insert(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|value| add_private_texts(value, is_private, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                add_private_texts(value, is_private || PRIVATE_FIELDS.contains(&name.as_str()), texts);
            }
        }
        _ => {}
    }
}

/// Returns the sample event of a function with [`TOKEN`].
fn sample_event(harness: &Harness, function: &Function) -> Value {
    let mut event: Value = serde_json::from_slice(&harness.event(&function.name).unwrap()).unwrap();
    if event["headers"].is_object() {
        event["headers"]["authorization"] = format!("Bearer {TOKEN}").into();
    }
    event
}

/// Returns an event that the runtime cannot parse as an event of the function, with a private value
/// where it fails.
fn malformed_event(event: &Value) -> Value {
    let mut event = event.clone();
    if event["Records"].is_array() {
        event["Records"][0]["eventName"] = MALFORMED.into();
    } else if event["userName"].is_string() {
        event["userName"] = vec![MALFORMED].into();
    } else {
        event["requestContext"]["timeEpoch"] = MALFORMED.into();
    }
    event
}

/// Returns the texts that the log must not contain, from an event and the items of all tables.
fn secrets(event: &Value, items: &[Value]) -> BTreeSet<String> {
    let mut secrets = BTreeSet::from([TOKEN.to_owned(), MALFORMED.to_owned(), "Bearer".to_owned()]);
    let body = event["body"].as_str().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
    for value in [event, &body].into_iter().chain(items) {
        add_private_texts(value, false, &mut secrets);
    }
    secrets
}

/// Replaces all numbers, lists and maps of the items with a text, and returns the items as they
/// were.
async fn damage(harness: &Harness) -> Vec<Value> {
    let (client, mut originals) = (harness.client(), vec![]);
    for table in &harness.template().tables {
        for mut item in client.scan().table_name(&table.name).send().await.unwrap().items.unwrap_or_default() {
            let texts = item.iter().filter_map(|(name, value)| {
                let text = value.as_s().ok()?;
                // The name of a person is public, and a part of the key of each entry of the
                // directory.
                let is_in_key =
                    name == "name" && item.get("sk").is_some_and(|sk| sk.as_s().is_ok_and(|sk| sk.contains(text)));
                (!is_in_key).then(|| (name.clone(), text.as_str().into()))
            });
            originals.push(Value::Object(texts.collect()));
            for (name, value) in &mut item {
                // DynamoDB refuses other values of keys and of vectors.
                let of_indexes = [&table.create["AttributeDefinitions"], &table.create["VectorIndexes"]];
                let is_key = of_indexes.iter().any(|all| all.to_string().contains(&format!("\"{name}\"")));
                if !is_key && !value.is_s() {
                    *value = AttributeValue::S(MALFORMED.to_owned());
                }
            }
            client.put_item().table_name(&table.name).set_item(Some(item)).send().await.unwrap();
        }
    }
    originals
}

/// Runs a function with some events, and returns what it has written to its log.
async fn log_of(command: Command, function: &Function, events: &[Value], log: &Path) -> String {
    let name: Arc<str> = function.name.as_str().into();
    let arn: Arc<str> = format!("arn:aws:lambda:eu-west-1:123456789012:function:{name}").into();
    let mut process = Process::start(&name, command).unwrap();
    for event in events {
        let id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
        process.invoke(id, &arn, &Trace::start(), event.to_string().into(), function.timeout).await.unwrap();
    }
    process.kill().await;
    fs::read_to_string(log).unwrap()
}

/// Returns the command that runs a function with its output in a file.
fn command(harness: &Harness, function: &Function, level: &str, dynamodb: &str, log: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", r#"exec "$0" > "$1" 2>&1"#]).arg(harness.binary(function)).arg(log);
    command.env_clear().envs(harness.environment(function, dynamodb)).env("AWS_LAMBDA_LOG_LEVEL", level);
    command
}

#[tokio::test]
async fn no_level_writes_tokens_or_private_fields() {
    let path = Template::find().unwrap();
    let levels = levels(&fs::read_to_string(&path).unwrap());
    assert!(levels.contains(&"TRACE".to_owned()) && levels.contains(&"INFO".to_owned()), "{levels:?}");
    build_functions().await;
    let [good, damaged] = [(); 2].map(|()| Arc::new(Harness::new(build::directory().unwrap()).unwrap()));
    let items = Arc::new(damage(&damaged).await);
    let directory = Arc::new(tempfile::tempdir().unwrap());

    let mut functions = JoinSet::new();
    let (mut lines, mut leaks) = (0, vec![]);
    for function in good.template().functions.clone() {
        if functions.len() == CONCURRENCY {
            let (more_lines, more_leaks): (usize, Vec<String>) = functions.join_next().await.unwrap().unwrap();
            lines += more_lines;
            leaks.extend(more_leaks);
        }
        let (good, damaged, items) = (good.clone(), damaged.clone(), items.clone());
        let (levels, directory) = (levels.clone(), directory.clone());
        functions.spawn(async move {
            let event = sample_event(&good, &function);
            let secrets = secrets(&event, &items);
            let (mut lines, mut leaks) = (0, vec![]);
            for level in levels {
                let both = [event.clone(), malformed_event(&event)];
                for (dynamodb, events) in
                    [(good.dynamodb(), &both[..]), (damaged.dynamodb(), &both[..1]), (UNREACHABLE, &both[..1])]
                {
                    let log = directory.path().join(&function.name);
                    let command = command(&good, &function, &level, dynamodb, &log);
                    let text = log_of(command, &function, events, &log).await;
                    lines += text.lines().count();
                    let found = secrets.iter().filter(|secret| text.contains(secret.as_str()));
                    leaks.extend(found.map(|secret| format!("{} at {level}: {secret}\n{text}", function.name)));
                }
            }
            (lines, leaks)
        });
    }
    while let Some(result) = functions.join_next().await {
        let (more_lines, more_leaks) = result.unwrap();
        lines += more_lines;
        leaks.extend(more_leaks);
    }
    assert!(leaks.is_empty(), "{} leaks, the first of which is {}", leaks.len(), leaks[0]);
    // Every function warns when DynamoDB cannot be reached.
    let expected = good.template().functions.len() * (levels.len() - 1);
    assert!(lines >= expected, "the functions have written {lines} lines instead of {expected} or more");
}
