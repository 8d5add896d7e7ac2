//! The restore of docs/operating.md, as far as one machine goes: `tools/ops/restore.py` against
//! moto's server, and the system on restored tables, whose feeds are missing and of which a
//! deletion is unfinished.
//!
//! The first test is skipped unless the environment variable `QUICK_PHOTOS_PYTHON` names a Python
//! with boto3, moto, the SAM CLI and the AWS CLI.

use std::time::Duration;

use local::stack::{self, Options, Stack};
use ops::audit::{self, RelatedData, Report};
use serde_json::Value;
use shared::dynamodb::Item;
use shared::entities::Key;
use tests::stack::start;
use tests::tools::{run_script, tool};
use tokio::time::timeout;

/// The tables that the procedure names.
const TABLE: &str = "quick-photos-restored";
const FEED: &str = "restored.Feed";

#[test]
fn restores_the_tables_of_a_stack_in_moto() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    run_script(&python, "restore/drill.py");
}

/// Audits the restored tables, and repairs them.
async fn audit(stack: &Stack) -> Report {
    let related = RelatedData { feed_table: Some(FEED), ..RelatedData::default() };
    let options = audit::Options {
        repair: true,
        recheck_delay: Duration::from_millis(20),
        min_deletion_age: Duration::ZERO,
        ..audit::Options::default()
    };
    audit::run_with(&stack::client(stack.dynamodb()), TABLE, related, options, |_| {}).await.unwrap()
}

/// Returns the photos in the feed of ben.
async fn feed(stack: &Stack) -> Vec<Value> {
    let get = reqwest::Client::new().get(format!("{}/users/ben/feed?limit=100", stack.api()));
    let answer = get.bearer_auth(stack.token("ben").unwrap()).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let photo = |photo: &Value| serde_json::json!([photo["username"], photo["id"]]);
    let answer: Value = answer.json().await.unwrap();
    answer["photos"].as_array().unwrap().iter().map(photo).collect()
}

#[tokio::test]
async fn the_audit_completes_a_system_on_restored_tables() {
    let names = [("TableName", TABLE), ("Stage", "restored")];
    let parameters = names.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let stack = start(Options { parameters, ..Options::default() }).await;
    let client = stack::client(stack.dynamodb());
    let before = feed(&stack).await;
    assert!(!before.is_empty());

    // A restore brings no feeds. It brings deletions that were not finished, without the records
    // that would finish them.
    let mut entries = client.scan().table_name(FEED).into_paginator().send();
    while let Some(page) = entries.try_next().await.unwrap() {
        for mut item in page.items.unwrap_or_default() {
            item.retain(|name, _| name == "pk" || name == "sk");
            client.delete_item().table_name(FEED).set_key(Some(item)).send().await.unwrap();
        }
    }
    let deletion = testing::deletion("gone");
    client.put_item().table_name(TABLE).set_item(Some(deletion.clone())).send().await.unwrap();
    assert_eq!(feed(&stack).await, [Value::Null; 0]);

    let report = audit(&stack).await;
    assert!(report.findings.len() > 1, "{report}");
    timeout(Duration::from_mins(1), stack.idle()).await.unwrap();
    assert_eq!(feed(&stack).await, before);
    let timer = Item::from(Key::rest(&"gone".parse().unwrap()));
    let get = client.get_item().table_name(TABLE).set_key(Some(timer)).consistent_read(true);
    let timer = get.send().await.unwrap().item.expect("finish-deletion has finished it, and the name rests");
    assert_eq!(timer["since"], deletion["since"]);
    let report = audit(&stack).await;
    assert_eq!(report.findings, [], "{report}");
    stack.shutdown().await;
}
