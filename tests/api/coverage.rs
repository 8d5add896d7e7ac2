//! What a pattern consists of: a folder, a block in template.yaml, an event, tests of its own.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use local::template::Template;

fn root() -> PathBuf {
    Template::find().unwrap().parent().unwrap().to_owned()
}

fn names(directory: &Path) -> BTreeSet<String> {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn functions_events_and_template_agree() {
    let root = root();
    let template = Template::read(&root.join("template.yaml")).unwrap();
    let in_template: BTreeSet<String> = template.functions.iter().map(|function| function.name.clone()).collect();
    let groups = fs::read_dir(root.join("functions")).unwrap().map(|group| group.unwrap().path());
    let folders: BTreeSet<String> = groups.flat_map(|group| names(&group)).collect();
    assert_eq!(folders, in_template);
    assert_eq!(names(&root.join("events")), in_template);
}

#[test]
fn every_function_has_tests_and_one_uses_its_event() {
    let root = root();
    let template = Template::read(&root.join("template.yaml")).unwrap();
    let groups = fs::read_dir(root.join("functions")).unwrap().map(|group| group.unwrap().path());
    for folder in groups.flat_map(|group| fs::read_dir(group).unwrap()) {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        let code = fs::read_to_string(folder.join("src/tests.rs")).unwrap();
        let function = template.functions.iter().find(|function| function.name == name).unwrap();
        let parts: &[&str] = if function.routes.is_empty() {
            &["#[tokio::test]", "sample_event"]
        } else {
            &["#[tokio::test]", "call_with_sample_event", "refuses_bad_input", "needs_a_caller"]
        };
        for part in parts {
            assert!(code.contains(part), "{name} has no {part}");
        }
    }
}
