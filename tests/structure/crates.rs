//! The crates of the workspace, as `cargo metadata` describes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::structure::cycle::Graph;

/// Returns each crate of the workspace with those that it depends on, for its tests and build scripts too.
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

/// Returns the root files of all libraries and programs, such as `shared/src/lib.rs`.
pub(crate) fn main_files(root: &Path) -> Vec<PathBuf> {
    let is_code = |target: &Value| ["lib", "bin"].iter().any(|kind| target["kind"][0] == *kind);
    packages(root)
        .iter()
        .flat_map(|package| package["targets"].as_array().unwrap().iter().filter(|target| is_code(target)))
        .map(|target| target["src_path"].as_str().unwrap().into())
        .collect()
}

fn packages(root: &Path) -> Vec<Value> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let metadata = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .expect("cargo metadata");
    let mut metadata: Value = serde_json::from_slice(&metadata.stdout).expect("the metadata is JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("no packages: {other}"),
    }
}
