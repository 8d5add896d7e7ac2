//! Tests that no relative link is dead, that the README leads to every document, that it stays
//! short, that its tour works, that commands name programs that exist, and that docs/operating.md
//! says what to do about every alarm.

mod commands;
mod tour;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tests::stack::root;

/// The maximum size of the README, which people read in the first minutes. Details belong in
/// `docs/`.
const MAX_README_BYTES: usize = 10_000;

/// Returns the Markdown files that people read: those of the root, the pages of the nouns, and all
/// files below `docs/`.
fn documents(root: &Path) -> Vec<PathBuf> {
    let mut documents = ["README", "CONTRIBUTING", "AGENTS", "SECURITY", "CHANGELOG"]
        .map(|name| root.join(name).with_extension("md"))
        .to_vec();
    let nouns = fs::read_dir(root.join("functions")).unwrap().map(|noun| noun.unwrap().path().join("README.md"));
    documents.extend(nouns);
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    documents
}

/// Returns the text without fenced code blocks.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let is_prose = |line: &&str| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    };
    text.lines().filter(is_prose).collect::<Vec<_>>().join("\n")
}

/// Returns the targets of all links and images. Images for light and dark pages are in HTML.
fn targets(prose: &str) -> impl Iterator<Item = &str> {
    let between = |start, end| prose.split(start).skip(1).filter_map(move |rest| rest.split_once(end));
    let all = between("](", ')').chain(between(" src=\"", '"')).chain(between(" srcset=\"", '"'));
    all.map(|(target, _)| target)
}

/// Returns the anchors of a document, as GitHub makes them from its headings.
fn anchors(prose: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|heading| {
            let anchor = anchor(heading.trim_start_matches('#'));
            let times = seen.entry(anchor.clone()).or_default();
            *times += 1;
            if *times == 1 { anchor } else { format!("{anchor}-{}", *times - 1) }
        })
        .collect()
}

/// Returns the anchor of a heading: lower case, hyphens for spaces, and no other punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_relative_link_leads_somewhere() {
    let root = root();
    let mut dead = vec![];
    let mut links = 0;
    for document in documents(&root) {
        let text = prose(&fs::read_to_string(&document).unwrap());
        for target in targets(&text).filter(|target| !target.contains("://")) {
            links += 1;
            let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
            let file = if path.is_empty() { document.clone() } else { document.with_file_name(path) };
            let is_there = match anchor {
                None => file.exists(),
                Some(anchor) => fs::read_to_string(&file).is_ok_and(|text| anchors(&prose(&text)).contains(anchor)),
            };
            if !is_there {
                dead.push(format!("{}: {target}", document.strip_prefix(&root).unwrap().display()));
            }
        }
    }
    assert!(dead.is_empty(), "these links lead nowhere; correct the path or the anchor:\n{}", dead.join("\n"));
    assert!(links > 50, "only {links} links were found");
}

#[test]
fn every_document_is_reachable_from_the_readme() {
    let root = root();
    let mut reached = BTreeSet::new();
    let mut next = vec![root.join("README.md")];
    while let Some(document) = next.pop() {
        let text = prose(&fs::read_to_string(&document).unwrap());
        let paths =
            targets(&text).filter(|target| !target.contains("://")).filter_map(|target| target.split('#').next());
        next.extend(
            paths
                .filter(|path| Path::new(path).extension().is_some_and(|extension| extension == "md"))
                .filter_map(|path| document.with_file_name(path).canonicalize().ok())
                .filter(|path| reached.insert(path.clone())),
        );
    }
    reached.insert(root.join("README.md").canonicalize().unwrap());
    let all = documents(&root).into_iter().map(|document| document.canonicalize().unwrap());
    let lost: Vec<_> = all.filter(|document| !reached.contains(document)).collect();
    assert!(lost.is_empty(), "the README leads to none of these documents; link to them: {lost:?}");
}

#[test]
fn the_readme_is_short() {
    let bytes = fs::read(root().join("README.md")).unwrap().len();
    assert!(
        bytes <= MAX_README_BYTES,
        "README.md has {bytes} bytes, and at most {MAX_README_BYTES} are allowed: move details to docs/"
    );
}

/// The maximum number of lines of what docs/operating.md says about an alarm.
const MAX_ALARM_LINES: usize = 5;

/// The generated table of the alarms leads to an entry for each, and the description of each alarm
/// too. Somebody who was woken up reads the entry.
#[test]
fn every_alarm_has_a_short_entry() {
    let operating = fs::read_to_string(root().join("docs/operating.md")).unwrap();
    let (_, alarms) = operating.split_once("\n## Alarms\n").unwrap();
    let alarms = alarms.split("\n## ").next().unwrap();
    let mut entries = BTreeSet::new();
    for entry in alarms.split("\n### ").skip(1) {
        let (name, text) = entry.split_once('\n').unwrap();
        if name.ends_with("Alarm") {
            entries.insert(anchor(name));
            let lines = text.lines().filter(|line| !line.is_empty()).count();
            assert!(lines <= MAX_ALARM_LINES, "{name} has {lines} lines");
        }
    }
    let rows = alarms.lines().filter_map(|line| line.strip_prefix("| [")?.split_once("](#")?.1.split_once(") |"));
    assert_eq!(rows.map(|(anchor, _)| anchor.to_owned()).collect::<BTreeSet<_>>(), entries);
}

#[test]
fn anchors_are_those_of_github() {
    let anchors = anchors("# The HTTP API\n\n## `limit`, and more\ntext\n## Twice\n## Twice\n");
    let anchors: Vec<_> = anchors.iter().map(String::as_str).collect();
    assert_eq!(anchors, ["limit-and-more", "the-http-api", "twice", "twice-1"]);
}
