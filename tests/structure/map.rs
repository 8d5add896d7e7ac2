//! Checks that the picture of docs/architecture.md names every part of template.yaml.

use std::collections::BTreeSet;
use std::fs;

use local::template::{Function, Template};
use saphyr::{LoadableYamlNode as _, Yaml};
use tests::stack::root;

use super::coverage::nouns;

const MAP: &str = "docs/architecture.svg";
/// The type of a queue.
const QUEUE: &str = "AWS::SQS::Queue";

/// Returns how the picture calls what starts a function.
fn kind(function: &Function) -> &'static str {
    if !function.routes.is_empty() {
        "API Gateway"
    } else if !function.mappings.is_empty() {
        "DynamoDB Streams"
    } else if !function.queues.is_empty() {
        "SQS queue"
    } else if !function.notifications.is_empty() {
        "S3 event"
    } else if !function.triggers.is_empty() {
        "sign-up trigger"
    } else if !function.schedules.is_empty() {
        "schedule"
    } else {
        "failure destination"
    }
}

/// Returns the logical ids of the resources of a type.
fn resources(template: &str, wanted: &str) -> Vec<String> {
    let template = &Yaml::load_from_str(template).unwrap()[0];
    let resources = template["Resources"].as_mapping().unwrap().iter();
    let of_type = resources.filter(|(_, resource)| resource["Type"].as_str() == Some(wanted));
    of_type.map(|(id, _)| id.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_picture_names_every_part_of_the_template() {
    let root = root();
    let path = root.join("template.yaml");
    let template = Template::read(&path).unwrap();
    let mut parts: BTreeSet<String> = nouns(&root);
    // The picture calls the tables of a stage by the second part of their names.
    parts.extend(template.tables.iter().map(|table| table.name.trim_start_matches("dev.").to_owned()));
    for function in &template.functions {
        parts.insert(kind(function).to_owned());
        if function.routes.is_empty() {
            parts.insert(function.name.clone());
        }
    }
    // The workers have the queues of their jobs.
    let workers = resources(&fs::read_to_string(root.join("functions/workers/template.yaml")).unwrap(), QUEUE);
    assert!(!workers.is_empty(), "{QUEUE} of the workers");
    parts.extend(workers);
    let text = fs::read_to_string(path).unwrap();
    for kind in [QUEUE, "AWS::S3::Bucket", "AWS::Cognito::UserPool"] {
        let found = resources(&text, kind);
        assert!(!found.is_empty(), "{kind}");
        parts.extend(found);
    }
    let picture = fs::read_to_string(root.join(MAP)).unwrap();
    let missing: Vec<&String> = parts.iter().filter(|part| !picture.contains(*part)).collect();
    assert!(missing.is_empty(), "{MAP} lacks these parts of template.yaml; add them: {missing:?}");
}
