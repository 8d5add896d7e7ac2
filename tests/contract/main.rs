//! What the functions ask of DynamoDB is a contract: README.md says for each how many requests and capacity units it
//! takes, and here each is run, as the binary that it is, behind a recorder. One that asks for more fails, and so does one
//! that asks for less, so that README.md stays true.

#![allow(clippy::unwrap_used)]

mod bed;
mod indexes;
mod readme;
mod rules;
mod sizes;

use bed::Bed;
use indexes::Indexes;

#[tokio::test]
async fn every_function_asks_for_what_its_row_says_and_for_nothing_needless() {
    let bed = Bed::new().await;
    let mut rows = readme::patterns();
    let mut indexes = Indexes::of(bed.template());
    let mut wrong = vec![];
    for function in &bed.template().functions {
        let Some(row) = rows.remove(&function.name) else {
            wrong.push(format!("{}: README.md has no row with its requests and units", function.name));
            continue;
        };
        let run = bed.run(function, &bed.event(function)).await;
        let broken = rules::broken(&row, &run);
        if !broken.is_empty() {
            wrong.push(format!("{}: {}.\n{}", function.name, broken.join("; "), rules::listed(&run)));
        }
        indexes.see(&run);
    }
    wrong.extend(
        rows.into_keys().map(|name| format!("{name}: README.md has a row, template.yaml has no such function")),
    );
    wrong.extend(indexes.needless());
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The events ask for short lists, in which a request for too much may find no more. So every list is read again, one entry
/// to a page.
#[tokio::test]
async fn a_page_of_one_entry_reads_one_entry() {
    let bed = Bed::new().await;
    let rows = readme::patterns();
    let mut wrong = vec![];
    let mut lists = 0;
    for function in &bed.template().functions {
        let event = bed.event(function);
        if event["requestContext"]["http"]["method"] != "GET" {
            continue;
        }
        let at_once = bed.run(function, &bed::with_page(&event, 100, None)).await;
        if !at_once.is_list() {
            continue;
        }
        lists += 1;
        let (mut entries, mut cursor) = (0, None);
        loop {
            let run = bed.run(function, &bed::with_page(&event, 1, cursor.as_deref())).await;
            let mut broken = rules::reads_more_than_it_shows(&run);
            broken.extend(rules::asks_for_more_than(1, &run));
            if run.asked.len() > rows[&function.name].costs.requests {
                broken.push("asks more often than README.md says".to_owned());
            }
            if !broken.is_empty() {
                wrong.push(format!("{}?limit=1: {}.\n{}", function.name, broken.join("; "), rules::listed(&run)));
                break;
            }
            entries += run.entries();
            let Some(next) = run.body["nextCursor"].as_str() else {
                if entries != at_once.entries() {
                    let all = at_once.entries();
                    wrong.push(format!("{}?limit=1: {entries} entries one by one, {all} at once", function.name));
                }
                break;
            };
            cursor = Some(next.to_owned());
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(lists > 10, "only {lists} lists");
}
