//! The crates of the workspace, as `cargo metadata` describes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::structure::cycle::Graph;

/// Returns each crate of the workspace with those that it depends on, for its tests and build
/// scripts too.
pub(crate) fn graph(root: &Path) -> Graph {
    let packages = packages(root);
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let dependencies = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let names_of_dependencies = dependencies.map(|dependency| dependency["name"].as_str().unwrap());
        names_of_dependencies.filter(|name| names.contains(name)).map(ToOwned::to_owned).collect()
    };
    packages.iter().map(|package| (package["name"].as_str().unwrap().to_owned(), dependencies(package))).collect()
}

/// Returns the crates that are linked along these kinds of dependencies, each with the features
/// that are chosen for it.
pub(crate) fn features(root: &Path, edges: &str) -> BTreeSet<String> {
    let format = ["--prefix", "none", "--format", "{p} {f}"];
    let tree = cargo(root, &[&["tree", "--offline", "--workspace", "--edges", edges], &format[..]].concat());
    let crates = String::from_utf8(tree).expect("the tree is text");
    // A mark says that the dependencies of a crate stand above.
    crates.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// Returns the root files of all libraries and programs, such as `shared/src/lib.rs`.
pub(crate) fn main_files(root: &Path) -> Vec<PathBuf> {
    ["lib", "bin"].iter().flat_map(|kind| targets(root, kind).into_values()).collect()
}

/// Returns the names of the programs that people run: all but the functions.
pub(crate) fn programs(root: &Path) -> Vec<String> {
    let programs = targets(root, "bin").into_iter();
    let programs =
        programs.filter(|(name, file)| !file.starts_with(root.join("functions")) && name != "empty-function");
    programs.map(|(name, _)| name).collect()
}

/// Returns the targets of a kind, such as `bin` or `test`: their names with their root files.
pub(crate) fn targets(root: &Path, kind: &str) -> BTreeMap<String, PathBuf> {
    let packages = packages(root);
    let targets = packages.iter().flat_map(|package| package["targets"].as_array().unwrap());
    let targets = targets.filter(|target| target["kind"][0] == kind);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    targets.map(|target| (text(&target["name"]), text(&target["src_path"]).into())).collect()
}

fn packages(root: &Path) -> Vec<Value> {
    let metadata = cargo(root, &["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let mut metadata: Value = serde_json::from_slice(&metadata).expect("the metadata is JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("no packages: {other}"),
    }
}

/// Returns what cargo prints.
fn cargo(root: &Path, arguments: &[&str]) -> Vec<u8> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).current_dir(root).output().expect("cargo");
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
