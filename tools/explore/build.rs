//! Makes a module of every function, so that the explorer can run any of them in its own process.
//!
//! A function is a binary, and no crate can depend on a binary. So this script copies the sources
//! of each function to `OUT_DIR` and generates a module for each, as [`shared::run`] and `main`
//! need it. The functions themselves do not know the explorer. [`REPLACEMENTS`] and the paths in
//! [`copy`] are all that differs.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The texts that are replaced in the sources. Each puts the explorer in the place of the process
/// and of Lambda.
const REPLACEMENTS: [(&str, &str); 16] = [
    ("#[cfg(test)]\nmod tests;\n", ""),
    ("shared::runtime::client::environment(", "crate::process::aws_config("),
    ("shared::runtime::stream::run(", "crate::process::run_stream("),
    ("use shared::runtime::stream::{Batch, run_batches};", "use shared::runtime::stream::Batch;"),
    (" run_batches(", " crate::process::run_batches("),
    ("use shared::runtime::stream;\n", ""),
    (" stream::run(", " crate::process::run_stream("),
    ("shared::run(", "crate::process::run("),
    ("shared::run_with_query(", "crate::process::run_with_query("),
    ("shared::run_with_preconditions(", "crate::process::run_with_query("),
    ("shared::runtime::queue::run(", "crate::process::run_queue("),
    ("shared::runtime::upload::run(", "crate::process::run_upload("),
    ("shared::runtime::client::bucket(", "crate::process::bucket("),
    ("FormSigner::from_environment(", "crate::process::form_signer("),
    ("Signer::from_environment(", "crate::process::signer("),
    ("std::env::var(", "crate::process::variable("),
];

fn main() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("Cargo sets this variable"));
    let (manifest, out) = (variable("CARGO_MANIFEST_DIR"), variable("OUT_DIR"));
    let root = manifest.join("../../functions").canonicalize().expect("the folder functions");
    println!("cargo::rerun-if-changed={}", root.display());

    let mut programs: Vec<PathBuf> = entries(&root).iter().flat_map(|noun| entries(&noun.join("src/bin"))).collect();
    programs.sort();
    let (mut modules, mut arms) = (String::new(), String::new());
    for program in programs {
        let name = program.file_stem().expect("a file").to_str().expect("UTF-8").to_owned();
        let module = name.replace('-', "_");
        let sources = program.ancestors().nth(2).expect("the folder src");
        let folder = out.join(&module);
        if sources.join(&module).is_dir() {
            copy(&sources.join(&module), &folder);
        }
        fs::create_dir_all(&folder).expect("OUT_DIR can be written");
        copy_file(&sources.join(format!("{module}.rs")), &folder.join("mod.rs"));
        writeln!(modules, "#[path = \"{}\"]\nmod {module};", folder.join("mod.rs").display()).expect("text");
        writeln!(arms, "        \"{name}\" => {module}::main().boxed_local(),").expect("text");
    }
    let start = format!(
        "/// Returns the process of a function, from its `main`.\n\
         pub(super) fn start(function: &str) -> Main {{\n    match function {{\n{arms}        \
         _ => panic!(\"there is no function {{function}}\"),\n    }}\n}}\n"
    );
    fs::write(out.join("functions.rs"), modules + &start).expect("OUT_DIR can be written");
}

fn entries(path: &Path) -> Vec<PathBuf> {
    fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

/// Copies the folder with the modules of a function, with the replacements.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).expect("OUT_DIR can be written");
    for path in entries(from) {
        let name = path.file_name().expect("a file name");
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else if name != "tests.rs" {
            copy_file(&path, &to.join(name));
        }
    }
}

fn copy_file(from: &Path, to: &Path) {
    println!("cargo::rerun-if-changed={}", from.display());
    let mut text = fs::read_to_string(from).expect("UTF-8");
    if from.extension().is_some_and(|extension| extension == "rs") {
        // The root of the noun's crate is the module that includes these.
        text = text.replace("use crate::", "use crate::process::functions::");
        for (old, new) in REPLACEMENTS {
            text = text.replace(old, new);
        }
    }
    fs::write(to, text).expect("OUT_DIR can be written");
}
