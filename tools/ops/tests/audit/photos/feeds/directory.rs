//! The directory, in which people are searched.

use super::*;

#[tokio::test]
async fn puts_the_missing_entries_of_a_user() {
    let feeds = Feeds::seed();
    let expected = feeds.all_items().await;
    for list in ["ad", "mars"] {
        feeds.delete(Key::listing(list, 8, "ada-marsh", &name("ada"))).await;
    }
    for entry in Listing::new(&name("cara"), "Cara Lindqvist", 0).entries() {
        feeds.delete(entry.key()).await;
    }
    let lines = ["directory: 2 entries of ada are missing", "directory: 9 entries of cara are missing"];
    feeds.assert_repairs(&lines, &expected).await;
}

/// They do not count as deletions, because they are made from the users.
#[tokio::test]
async fn deletes_the_entries_of_other_names_and_of_users_who_do_not_exist() {
    let feeds = Feeds::seed();
    feeds.table.put([testing::deletion("dora")]).await;
    let expected = feeds.all_items().await;
    feeds.list("ada", "Ada Marsh", 10).await;
    feeds.list("ben", "Nova", 0).await;
    feeds.list("dora", "Dora", 0).await;
    feeds.list("gone", "Gone", 0).await;
    let mut in_another_list = Listing::new(&name("cara"), "Cara Lindqvist", 0).entries().pop_first().unwrap();
    in_another_list.list = "zo\n".to_owned();
    feeds.put(in_another_list.item().unwrap()).await;

    let of = |username: &str, lists: &[&str]| -> Vec<String> {
        let line = |list| format!("directory: the entry of {username} in {list:?} is not one of the user");
        lists.iter().map(line).collect()
    };
    let mut lines = of("ada", &[" ", "a", "ad", "ada", "m", "ma", "mar", "mars", "marsh"]);
    lines.extend(of("ben", &["b", "be", "ben", "n", "no", "nov", "nova"]));
    lines.extend(of("cara", &["zo\n"]));
    lines.extend(of("dora", &["d", "do", "dor", "dora"]));
    lines.extend(of("gone", &["g", "go", "gon", "gone"]));
    let mut found = feeds.findings().await;
    found.retain(|line| !line.starts_with("deletion of dora"));
    assert_eq!(found, lines);
    let report = feeds.audit(true).await;
    assert_eq!(report.findings.len(), lines.len() + 1, "{report:?}");
    assert_eq!(feeds.all_items().await, expected);
}

/// Somebody can repair the user.
#[tokio::test]
async fn leaves_the_entries_of_a_malformed_user() {
    let feeds = Feeds::seed();
    feeds.table.set(user("ada"), "name", Some(number(1))).await;
    let before = feeds.all_items().await;
    let report = feeds.audit(true).await;
    let findings: Vec<String> = report.findings.iter().map(|(finding, _)| finding.to_string()).collect();
    assert!(findings.len() == 1 && findings[0].starts_with("item \"USER#ada\""), "{findings:?}");
    assert_eq!(feeds.all_items().await, before);
}

/// process-changes has given up the record of a rename.
#[tokio::test]
async fn replaces_the_entries_of_an_old_name() {
    let feeds = Feeds::seed();
    feeds.table.set(user("ada"), "name", Some(text("Nova"))).await;
    let report = feeds.audit_with(Options { delete_at_most: Some(0), ..options(true) }, |_| {}).await;
    assert_eq!(report.findings.len(), 1 + 9, "{report:?}");
    assert_eq!(feeds.findings().await, [""; 0]);
    let items = feeds.all_items().await;
    assert!(items.contains_key(&("People#nova".to_owned(), "8#nova#ada".to_owned())), "{items:?}");
}

/// The audit finds a missing entry, and the user is renamed before the repair.
#[tokio::test]
async fn puts_no_entries_of_a_name_that_is_gone_meanwhile() {
    let feeds = Feeds::seed();
    feeds.delete(Key::listing("ad", 8, "ada-marsh", &name("ada"))).await;
    let report = feeds
        .audit_with(options(true), |progress| {
            if let Progress::Planned(..) = progress {
                let mut ada = testing::user("ada");
                ada.insert("name".to_owned(), text("Nova"));
                ada.insert("followers".to_owned(), number(1));
                dynamodb::import(feeds.table.engine.database(), &feeds.table.name, vec![ada]).unwrap();
            }
        })
        .await;
    assert_eq!(report.findings.len(), 1, "{report:?}");
    let items = feeds.all_items().await;
    assert!(!items.contains_key(&("People#ad".to_owned(), "8#ada-marsh#ada".to_owned())), "{items:?}");
}
