//! The workflows of GitHub name each action by the commit of a version.

use std::fs;

use tests::stack::root;

#[test]
fn every_action_is_pinned_to_a_commit() {
    let files = fs::read_dir(root().join(".github/workflows")).unwrap().map(|entry| entry.unwrap().path());
    let workflows = files.filter(|path| path.extension().is_some_and(|extension| extension == "yml"));
    let texts: Vec<_> = workflows.map(|path| fs::read_to_string(path).unwrap()).collect();
    let uses = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
    let actions: Vec<_> = uses.filter(|action| !action.starts_with("./")).collect();
    let is_pinned = |action: &&&str| {
        let (commit, version) = action.split_once('@').and_then(|(_, at)| at.split_once(" # v")).unwrap_or_default();
        commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()) && version.split('.').count() == 3
    };
    let loose: Vec<_> = actions.iter().filter(|action| !is_pinned(action)).collect();
    assert!(loose.is_empty(), "write these as OWNER/NAME@COMMIT # vVERSION, because a tag can be moved: {loose:?}");
    assert!(actions.len() > 5, "{actions:?}");
}
