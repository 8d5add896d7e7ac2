//! Tests the queries of CloudWatch Logs Insights in monitoring.yaml, as far as this is possible
//! without CloudWatch: each field that they name is in a line.

use std::collections::BTreeSet;
use std::fs;

use local::lambda::build;
use local::template::Template;
use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::Value;
use testing::harness::Harness;
use tests::stack::build_functions;

use crate::logs::{UNREACHABLE, command, log_of, sample_event};

/// The commands, operators and functions of the queries. See
/// <https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html>.
const SYNTAX: [&str; 20] = [
    "fields",
    "coalesce",
    "display",
    "and",
    "filter",
    "stats",
    "sort",
    "desc",
    "by",
    "as",
    "in",
    "or",
    "count",
    "sum",
    "pct",
    "max",
    "latest",
    "bin",
    "ispresent",
    "5m",
];

/// The fields that CloudWatch and Lambda's own lines have.
const OTHER_FIELDS: [&str; 4] = ["@timestamp", "type", "record.status", "record.requestId"];

/// Returns the fields that a query reads: its words, without those of the syntax, strings, numbers,
/// and names after `as`.
fn fields(query: &str) -> BTreeSet<&str> {
    let outside_of_strings = query.split('\'').step_by(2);
    let is_separator = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '@' | '_'));
    let words: Vec<_> =
        outside_of_strings.flat_map(|part| part.split(is_separator)).filter(|word| !word.is_empty()).collect();
    let aliases: BTreeSet<_> = words.windows(2).filter(|pair| pair[0] == "as").map(|pair| pair[1]).collect();
    let is_field = |word: &&str| {
        !SYNTAX.contains(word)
            && !aliases.contains(word)
            && !OTHER_FIELDS.contains(word)
            && word.parse::<u64>().is_err()
    };
    words.into_iter().filter(is_field).collect()
}

/// Returns the queries by their names.
fn queries() -> Vec<(String, String)> {
    let template = fs::read_to_string(Template::find().unwrap().with_file_name("monitoring.yaml")).unwrap();
    let template = Yaml::load_from_str(&template).unwrap().remove(0);
    let queries = template["Mappings"]["Queries"].as_mapping().unwrap().iter();
    queries
        .map(|(name, query)| (name.as_str().unwrap().to_owned(), query["Text"].as_str().unwrap().to_owned()))
        .collect()
}

/// Returns the fields of the access log, whose format is in the template.
fn fields_of_the_access_log() -> BTreeSet<String> {
    let template = fs::read_to_string(Template::find().unwrap()).unwrap();
    let format = template.split_once("Format: >-\n").unwrap().1.split_once("}\n").unwrap().0;
    format.split("\":\"$context").filter_map(|part| part.rsplit('"').next()).map(str::to_owned).collect()
}

/// Returns the fields of the lines of a function that cannot reach DynamoDB.
async fn fields_of_the_lines() -> BTreeSet<String> {
    build_functions().await;
    let harness = Harness::new(build::directory().unwrap()).unwrap();
    let function = harness.template().functions.iter().find(|function| function.name == "get-user").unwrap();
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let command = command(&harness, function, "INFO", UNREACHABLE, &log);
    let text = log_of(command, function, &[sample_event(&harness, function)], &log).await;
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.flat_map(|line| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>()).collect()
}

#[tokio::test]
async fn the_lines_have_the_fields_that_the_queries_name() {
    let (access_log, lines) = (fields_of_the_access_log(), fields_of_the_lines().await);
    let queries = queries();
    assert!(queries.len() > 4, "{queries:?}");
    for (name, query) in &queries {
        let has = if ["Answers", "Deletions"].contains(&name.as_str()) { &access_log } else { &lines };
        let missing: Vec<_> = fields(query).into_iter().filter(|field| !has.contains(*field)).collect();
        assert!(missing.is_empty(), "{name} names {missing:?}, and the lines have {has:?}");
        assert!(!query.contains('"'), "{name}: the dashboard needs queries without double quotes");
    }
}

#[test]
fn finds_the_fields_of_a_query() {
    let query = "filter message = 'request' | stats count() as number, pct(ms, 50) as p50 by route | sort number desc";
    assert_eq!(fields(query), BTreeSet::from(["message", "ms", "route"]));
}
