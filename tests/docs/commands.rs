//! The commands of the documents name programs, tests and files that exist.

use std::fs;
use std::path::{Path, PathBuf};

use tests::stack::root;

use super::documents;
use crate::structure::crates;

/// Returns the words of a document, without the marks of code and the punctuation around them.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().map(|word| word.trim_matches(['`', ',', '.', ':', ';', '(', ')'])).collect()
}

/// Returns the files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn every_command_names_programs_and_tests_that_exist() {
    let root = root();
    let [programs, tests] = ["bin", "test"].map(|kind| crates::targets(&root, kind));
    let modules: Vec<_> = files(&root.join("tests")).iter().map(|path| path.display().to_string()).collect();
    let mut unknown = vec![];
    let mut commands = 0;
    for document in documents(&root) {
        let text = fs::read_to_string(&document).unwrap();
        let words = words(&text);
        for (at, option) in words.iter().enumerate() {
            let [name, filter] = [at + 1, at + 2].map(|at| words.get(at).copied().unwrap_or_default());
            let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
            // `node --test` takes no name.
            if !is_name(name) {
                continue;
            }
            let exists = match *option {
                "--bin" => programs.contains_key(name),
                "--test" => tests.contains_key(name),
                _ => continue,
            };
            commands += 1;
            let is_filter = (*option, name) == ("--test", "system") && is_name(filter);
            if !exists || is_filter && !modules.iter().any(|path| path.contains(filter)) {
                unknown.push(format!("{}: {option} {name} {filter}", document.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "these programs, or these modules of tests/, do not exist:\n{}", unknown.join("\n"));
    assert!(commands > 30, "only {commands} commands were found");
}

/// The page for coding agents names files without linking to each.
#[test]
fn every_path_of_the_page_for_agents_exists() {
    let root = root();
    let page = fs::read_to_string(root.join("AGENTS.md")).unwrap();
    let code: Vec<_> = page.split('`').skip(1).step_by(2).collect();
    let paths = code.into_iter().filter(|code| code.contains(['/', '.']) && !code.contains([' ', '…']));
    let missing: Vec<_> = paths.clone().filter(|path| !root.join(path).exists()).collect();
    assert!(missing.is_empty(), "AGENTS.md names files that do not exist: {missing:?}");
    assert!(paths.count() > 5, "{page}");
}
