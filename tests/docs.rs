//! Tests that no relative link is dead, that the README leads to every document, that it stays
//! short, that its tour works, that commands name programs that exist, that docs/operating.md says
//! what to do about every alarm, and that every alarm says where.

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

/// Returns the texts of the templates that have alarms.
fn templates() -> String {
    ["template.yaml", "monitoring.yaml"].map(|name| fs::read_to_string(root().join(name)).unwrap()).concat()
}

/// Returns the logical ids of the alarms in the templates.
fn alarms(template: &str) -> BTreeSet<&str> {
    let lines: Vec<_> = template.lines().collect();
    let is_alarm = |pair: &&[&str]| pair[1].trim() == "Type: AWS::CloudWatch::Alarm";
    lines.windows(2).filter(is_alarm).map(|pair| pair[0].trim().trim_end_matches(':')).collect()
}

#[test]
fn every_alarm_has_a_section_that_says_what_to_do() {
    let root = root();
    let template = templates();
    let operating = fs::read_to_string(root.join("docs/operating.md")).unwrap();
    let alarms = alarms(&template);
    assert!(alarms.len() > 5, "{alarms:?}");
    for alarm in &alarms {
        let section = operating.split_once(&format!("\n### {alarm}\n")).map(|(_, rest)| rest);
        let section = section.unwrap_or_else(|| panic!("docs/operating.md has no section \"### {alarm}\"; write it"));
        let section = section.split("\n##").next().unwrap_or_default();
        for part in ["**What it means.**", "**Look at**", "**What to do.**", "**It is over when**"] {
            assert!(section.contains(part), "the section {alarm} of docs/operating.md has no {part}");
        }
        let row = format!("| [{alarm}](#{}) |", anchor(alarm));
        assert!(operating.contains(&row), "the table of alarms in docs/operating.md has no row \"{row}\"");
    }
    let sections = operating.lines().filter_map(|line| line.strip_prefix("### ")?.strip_suffix("Alarm"));
    let gone: Vec<_> = sections.filter(|name| !alarms.contains(&*format!("{name}Alarm"))).collect();
    assert!(gone.is_empty(), "there are no such alarms; delete their sections: {gone:?}");
}

/// Returns the properties of an alarm.
fn properties<'a>(template: &'a str, alarm: &str) -> &'a str {
    let (_, rest) = template.split_once(&format!("\n  {alarm}:\n")).unwrap();
    rest.split("\n\n").next().unwrap()
}

/// A notification has the name and the description of the alarm, and the account may have several
/// stacks.
#[test]
fn every_alarm_names_its_stack_and_its_section() {
    let root = root();
    let template = templates();
    for alarm in alarms(&template) {
        let properties = properties(&template, alarm);
        let begins = |stack| properties.contains(&format!("AlarmName: !Sub ${{{stack}}}-"));
        assert!(begins("AWS::StackName") || begins("App"), "{alarm} has no name that begins with the stack");
        let description = properties.split_once("AlarmDescription:").unwrap().1;
        let (_, link) =
            description.split_once("See docs/").unwrap_or_else(|| panic!("{alarm} does not say what to see"));
        let (document, anchor) = link.lines().next().unwrap().split_once('#').unwrap();
        let document = fs::read_to_string(root.join("docs").join(document)).unwrap();
        assert!(anchors(&prose(&document)).contains(anchor), "{alarm} leads to #{anchor}, which does not exist");
        assert_eq!(anchor, self::anchor(alarm), "the section of {alarm}");
    }
}

#[test]
fn anchors_are_those_of_github() {
    let anchors = anchors("# The HTTP API\n\n## `limit`, and more\ntext\n## Twice\n## Twice\n");
    let anchors: Vec<_> = anchors.iter().map(String::as_str).collect();
    assert_eq!(anchors, ["limit-and-more", "the-http-api", "twice", "twice-1"]);
}
