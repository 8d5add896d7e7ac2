//! Checks that every pattern has a folder, a block in a template, a sample event and tests of
//! its own. A part that is missing is reported with the file to add.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use local::template::{Route, Statement, Template};
use shared::http::extract::{EDITORS, MODERATORS};
use tests::stack::root;

/// Returns the folders and files of a directory.
fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Returns the names of files without their extension, or of folders.
fn names(paths: &[PathBuf]) -> BTreeSet<String> {
    paths.iter().map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// Returns the nouns, which are the folders of functions.
pub(super) fn nouns(root: &Path) -> BTreeSet<String> {
    names(&entries(&root.join("functions")))
}

/// Returns the programs of all functions, `functions/<noun>/src/bin/<name>.rs`.
fn programs(root: &Path) -> Vec<PathBuf> {
    entries(&root.join("functions")).iter().flat_map(|noun| entries(&noun.join("src/bin"))).collect()
}

#[test]
fn every_function_has_a_program_a_template_block_and_a_sample_event() {
    let root = root();
    let template = Template::read(&root.join("template.yaml")).unwrap();
    let in_template: BTreeSet<String> = template.functions.iter().map(|function| function.name.clone()).collect();
    let (programs, events) = (names(&programs(&root)), names(&entries(&root.join("events"))));
    let mut missing = vec![];
    for name in in_template.iter().chain(&programs).chain(&events).collect::<BTreeSet<_>>() {
        if !programs.contains(name) {
            missing.push(format!("functions/<noun>/src/bin/{name}.rs: add the program, modelled on a neighbour"));
        }
        if !in_template.contains(name) {
            missing.push(format!(
                "functions/<noun>/template.yaml: add a function with `CodeUri: ../../target/lambda/{name}/`"
            ));
        }
        if !events.contains(name) {
            missing.push(format!(
                "events/{name}.json: add an event that the function answers with 2xx on the sample data and on the seed data"
            ));
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}

#[test]
fn every_stream_function_may_read_its_own_stream_and_no_other() {
    let template = Template::read(&root().join("template.yaml")).unwrap();
    for function in &template.functions {
        let reads = |statement: &&Statement| statement.actions.iter().any(|action| action == "dynamodb:GetRecords");
        let readable = function.statements.iter().filter(reads).flat_map(|statement| &statement.resources);
        let streams = function.mappings.iter().map(|mapping| &mapping.stream_arn);
        assert!(readable.eq(streams), "{}", function.name);
    }
}

/// API Gateway passes the groups of a caller as one text with spaces between their names.
#[test]
fn the_user_pool_has_the_groups_that_functions_ask_for() {
    let template = fs::read_to_string(root().join("template.yaml")).unwrap();
    let groups = template.split(" GroupName: ").skip(1).filter_map(|rest| rest.split(['}', '\n']).next());
    assert_eq!(groups.collect::<BTreeSet<_>>(), [EDITORS, MODERATORS].into());
    assert!(!EDITORS.contains(' ') && !MODERATORS.contains(' '));
}

#[test]
fn every_function_tests_its_sample_event_its_bad_input_and_its_caller() {
    let root = root();
    let template = Template::read(&root.join("template.yaml")).unwrap();
    let mut missing = vec![];
    for program in programs(&root) {
        let name = program.file_stem().unwrap().to_str().unwrap();
        let function = template.functions.iter().find(|function| function.name == name);
        let parts: &[&str] = match function.and_then(|function| function.routes.first()) {
            None => &["#[tokio::test]", "sample_event"],
            // tests/api/routes.rs calls it without a token.
            Some(Route { needs_token: false, .. }) => &["call_with_sample_event", "refuses_bad_input"],
            Some(_) => &["#[tokio::test]", "call_with_sample_event", "refuses_bad_input", "needs_a_caller"],
        };
        let file = program.ancestors().nth(2).unwrap().join(name.replace('-', "_")).join("tests.rs");
        let code = fs::read_to_string(&file).unwrap_or_default();
        let absent = parts.iter().filter(|part| !code.contains(*part));
        missing.extend(absent.map(|part| format!("{}: add a test that uses `{part}`", file.display())));
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}
