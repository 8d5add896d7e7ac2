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

/// Returns the crates of others that a command of cargo compiles, each with its features and its
/// profile.
pub(crate) fn compiled(root: &Path, command: &[&str]) -> BTreeSet<String> {
    let graph = cargo(root, &[command, &["--offline", "--unit-graph", "-Z", "unstable-options"]].concat());
    let graph: Value = serde_json::from_slice(&graph).expect("the graph is JSON");
    let units = graph["units"].as_array().unwrap().iter().cloned();
    let units = units.filter(|unit| unit["pkg_id"].as_str().unwrap().starts_with("registry+"));
    units.map(describe).collect()
}

/// Describes how a part of a crate is compiled.
fn describe(mut unit: Value) -> String {
    // The profile `test` compiles dependencies like `dev`.
    unit["profile"]["name"].take();
    let parts = ["pkg_id", "features", "mode", "platform", "profile"].map(|part| unit[part].to_string());
    format!("{} {} {}", parts[0], unit["target"]["kind"], parts[1..].join(" "))
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
    // It allows the option that shows what would be compiled.
    let output = Command::new(cargo).args(arguments).env("RUSTC_BOOTSTRAP", "1").current_dir(root).output();
    let output = output.expect("cargo");
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
