//! Checks what the templates of the nouns have in common, which CloudFormation cannot share.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use local::template::{Route, Template};
use tests::stack::root;

use super::coverage::nouns;

/// The functions that are with the workers, and not with their nouns: the bucket and the user pool
/// start them, and need them before the other functions need the bucket and the user pool.
const WITH_THE_WORKERS: [&str; 4] = ["process-photo", "read-import", "refuse-used-name", "reject-photo"];

/// The routes that anyone may call, because they have no authorizer. Each answer goes to everybody who
/// knows the token of a link, and is kept by CloudFront.
const WITHOUT_AUTHORIZER: [&str; 4] =
    ["GET /oembed", "GET /s/{token}", "GET /s/{token}/picture", "POST /s/{token}/report"];

/// The maximum number of attributes that DynamoDB
/// [projects](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Projection.html) into an index.
const MAX_PROJECTED: usize = 20;
/// The maximum number of lines of a template.
const MAX_LINES: usize = 900;

/// Returns the templates of the nouns by the names of the nouns.
fn templates() -> BTreeMap<String, String> {
    let read = |noun: &String| fs::read_to_string(root().join("functions").join(noun).join("template.yaml")).unwrap();
    nouns(&root()).into_iter().map(|noun| (noun.clone(), read(&noun))).collect()
}

#[test]
fn every_function_is_in_the_template_of_its_noun() {
    for (noun, template) in templates() {
        let uris = template.lines().filter_map(|line| line.trim().strip_prefix("CodeUri: ../../target/lambda/"));
        let found: BTreeSet<String> = uris.map(|uri| uri.trim_end_matches('/').to_owned()).collect();
        let programs = fs::read_dir(root().join("functions").join(&noun).join("src/bin")).unwrap();
        let programs =
            programs.map(|program| program.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
        let mut wanted: BTreeSet<String> = programs.filter(|name| !WITH_THE_WORKERS.contains(&&**name)).collect();
        if noun == "workers" {
            wanted.extend(WITH_THE_WORKERS.map(str::to_owned));
        }
        assert_eq!(found, wanted, "functions/{noun}/template.yaml");
    }
}

#[test]
fn only_the_routes_of_links_have_no_authorizer() {
    let template = Template::read(&root().join("template.yaml")).unwrap();
    let routes = template.functions.iter().flat_map(|function| &function.routes);
    let found: BTreeSet<_> = routes.filter(|route| !route.needs_token).map(Route::key).collect();
    assert_eq!(found, WITHOUT_AUTHORIZER.map(str::to_owned).into());
}

#[test]
fn the_nouns_have_the_same_globals() {
    let mut globals = BTreeMap::<String, Vec<String>>::new();
    for (noun, template) in templates() {
        let (_, section) = template.split_once("\nGlobals:\n").unwrap();
        let (section, _) = section.split_once("\nResources:\n").unwrap();
        // The variables are those that all functions of the noun have.
        let (before, variables) = section.split_once("    Environment:\n").unwrap();
        let (_, after) = variables.split_once("    LoggingConfig:").unwrap();
        globals.entry(format!("{before}{after}")).or_default().push(noun);
    }
    // No function of the workers has a route, and CodeDeploy moves none of them.
    let nouns: Vec<_> = globals.values().collect();
    assert!(nouns.len() == 2 && nouns.contains(&&vec!["workers".to_owned()]), "{globals:?}");
}

/// The limit of all indexes of a table together is 100:
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-secondary-indexes>
#[test]
fn no_index_projects_more_attributes_than_dynamodb_takes() {
    for table in Template::read(&root().join("template.yaml")).unwrap().tables {
        let indexes = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"].map(|kind| table.create[kind].as_array());
        let numbers = indexes.into_iter().flatten().flatten();
        let numbers = numbers.map(|index| index["Projection"]["NonKeyAttributes"].as_array().map_or(0, Vec::len));
        let numbers: Vec<usize> = numbers.collect();
        assert!(numbers.iter().all(|number| *number <= MAX_PROJECTED), "{}: {numbers:?}", table.create["TableName"]);
        assert!(numbers.iter().sum::<usize>() <= 100, "{}: {numbers:?}", table.create["TableName"]);
    }
}

#[test]
fn no_template_is_too_long() {
    let paths = ["template.yaml", "monitoring.yaml", "pictures.yaml", "edge.yaml"].map(|path| root().join(path));
    let of_nouns = nouns(&root()).into_iter().map(|noun| root().join("functions").join(noun).join("template.yaml"));
    for path in paths.into_iter().chain(of_nouns) {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= MAX_LINES, "{} has {lines} lines, and at most {MAX_LINES} are allowed", path.display());
    }
}
