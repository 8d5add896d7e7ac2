//! The lab: docs/lab.md with its commands, and its scripts with boto3, on a stack that has created
//! no tables. Skipped unless the environment variable `QUICK_PHOTOS_PYTHON` names a Python with
//! boto3, beside which the AWS CLI is installed.

mod document;

use std::fs;
use std::process::Command;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, KeySchemaElement, KeyType,
    Projection, ProjectionType, ScalarAttributeType,
};
use local::stack::{self, Data, Options};
use ops::audit::{self, Finding};
use shared::entities::{
    ALERTS_BY_AUTHOR, COMMENTS_BY_AUTHOR, COMMENTS_BY_LIKES, LIKES_COUNT, REACTIONS_BY_TIME, REPORTS_BY_STATE,
};
use tests::stack::{root, start};
use tests::tools::{output, output_of_script, tool};

use self::document::{Session, shows};

/// The scripts in the order of the document.
const SCRIPTS: [&str; 8] = [
    "create_table",
    "bulk_load_table",
    "fetch_user_and_photos",
    "add_inverted_index",
    "fetch_photo_and_reactions",
    "find_and_enrich_following",
    "add_reaction",
    "follow_user",
];

#[tokio::test]
async fn each_command_of_the_document_prints_what_the_document_shows() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let directory = python.parent().unwrap().to_owned();
    if !directory.join("aws").exists() {
        println!("there is no AWS CLI in {}", directory.display());
        return;
    }
    let document = fs::read_to_string(root().join("docs/lab.md")).unwrap();
    let sessions = document::sessions(&document);
    assert_eq!(sessions.iter().map(|session| session.steps.len()).collect::<Vec<_>>(), [23, 1]);
    let mut exports = String::new();
    for Session { options, steps } in sessions {
        let options = match options.as_str() {
            "--empty" => Options { data: Data::Empty, ..Options::default() },
            "--items tests/lab/items.json" => {
                Options { data: Data::Items(root().join("tests/lab/items.json")), ..Options::default() }
            }
            other => panic!("{other}"),
        };
        let stack = start(options).await;
        let script = [exports.as_str(), &document::script(&steps)].join("\n");
        // The second terminal stays open while the first one starts another stack.
        exports.clone_from(&steps[0].commands);
        let script = script.replace("http://127.0.0.1:8000", stack.dynamodb());
        let script = script.replace("http://127.0.0.1:3000", stack.api());
        let mut bash = Command::new("bash");
        let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap());
        bash.arg("-c").arg(script).current_dir(root()).env("PATH", path);
        let output = output(bash).await;
        let printed: Vec<_> = output.split_inclusive(document::END).collect();
        assert_eq!(printed.len(), steps.len() + 1, "{output}");
        for (step, printed) in steps.iter().zip(printed) {
            let printed = printed.trim_end_matches(document::END);
            assert!(shows(&step.output, printed), "{}\n\n{}\n\n{printed}", step.commands, step.output);
        }
        stack.shutdown().await;
    }
}

/// Adds an index that the lab does not have and the audit needs. The last attribute is its sort
/// key.
async fn add_index(client: &Client, index: &str, attributes: &[&str]) {
    let (sort_key, _) = attributes.split_last().unwrap();
    let kind = |name| if name == sort_key { KeyType::Range } else { KeyType::Hash };
    let keys = attributes
        .iter()
        .map(|name| KeySchemaElement::builder().attribute_name(*name).key_type(kind(name)).build().unwrap());
    let create = CreateGlobalSecondaryIndexAction::builder()
        .index_name(index)
        .set_key_schema(Some(keys.collect()))
        .projection(Projection::builder().projection_type(ProjectionType::KeysOnly).build());
    let definitions = attributes.iter().map(|name| {
        let of_number = *name == LIKES_COUNT;
        let attribute_type = if of_number { ScalarAttributeType::N } else { ScalarAttributeType::S };
        AttributeDefinition::builder().attribute_name(*name).attribute_type(attribute_type).build().unwrap()
    });
    let update = GlobalSecondaryIndexUpdate::builder().create(create.build().unwrap()).build();
    let request = client.update_table().table_name("quick-photos");
    let request = request.set_attribute_definitions(Some(definitions.collect()));
    request.global_secondary_index_updates(update).send().await.unwrap();
}

#[tokio::test]
async fn the_scripts_leave_a_table_whose_counts_are_right() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let stack = start(Options { data: Data::Empty, ..Options::default() }).await;
    for script in SCRIPTS {
        let output = output_of_script(&python, &format!("lab/{script}.py"), stack.dynamodb()).await;
        assert_ne!(output, "", "{script}");
    }
    let client = stack::client(stack.dynamodb());
    add_index(&client, REACTIONS_BY_TIME, &["reactingUser", "reactionType", "timestamp"]).await;
    add_index(&client, COMMENTS_BY_AUTHOR, &["author", "timestamp"]).await;
    add_index(&client, COMMENTS_BY_LIKES, &["SK", LIKES_COUNT]).await;
    add_index(&client, ALERTS_BY_AUTHOR, &["alertsOf", "followingUser"]).await;
    add_index(&client, REPORTS_BY_STATE, &["reportState", "timestamp"]).await;
    let options = audit::Options { recheck_delay: Duration::from_millis(20), ..audit::Options::default() };
    let report = audit::run(&client, "quick-photos", options, |_| {}).await.unwrap();
    // The lab counts no photos of a user, and everything else that the audit compares.
    let uncounted = |finding: &Finding| {
        let line = finding.to_string();
        line.starts_with("user ")
            && [": photos is missing,", ": uploads is missing,"].iter().any(|end| line.contains(end))
    };
    assert_eq!(report.findings.len(), 2 * 6, "{report}");
    assert!(report.findings.iter().all(|(finding, _)| uncounted(finding)), "{report}");
    stack.shutdown().await;
}
