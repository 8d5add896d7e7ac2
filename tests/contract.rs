//! Tests that every function uses exactly the requests and capacity units that
//! docs/access-patterns.md states.
//!
//! Each function runs as its own binary behind a recorder of its DynamoDB requests. A function that
//! costs more than its row says fails, and so does one that costs less, so that the document stays
//! true. The generated parts of the documents have to be what `cargo run --bin scale` writes.

mod captions;
mod indexes;
mod people;
mod restricted;
pub(crate) mod rules;
pub(crate) mod sizes;
mod vectors;

use local::services::dynamodb;
use local::template::{Function, Route};
use shared::dynamodb::Item;
use testing::access_patterns::{self, Pattern};
use testing::runner::{self, Runner};
use tests::stack::root;

use self::indexes::Indexes;

/// Puts items into the table with this logical id.
pub(crate) fn import(runner: &Runner, table: &str, items: Vec<Item>) {
    let table = &runner.template().table(table).unwrap().name;
    dynamodb::import(runner.harness.database(), table, items).unwrap();
}

#[tokio::test]
async fn every_function_does_what_its_row_says_and_nothing_needless() {
    let runner = Runner::new().await.unwrap();
    let mut rows = access_patterns::patterns();
    let mut indexes = Indexes::new(runner.template());
    let mut failures = vec![];
    for function in &runner.template().functions {
        let run = runner.run(function, &runner.event(function).unwrap()).await.unwrap();
        let without_route = match function {
            Function { mappings, .. } if !mappings.is_empty() => "stream",
            function if function.reads_records() => "queue",
            Function { triggers, .. } if !triggers.is_empty() => "trigger",
            _ => "upload",
        };
        let route = function.routes.first().map_or_else(|| without_route.to_owned(), Route::key);
        if let Some(row) = rows.remove(&function.name) {
            let mut broken = rules::broken(&row, &run);
            if row.route != route {
                broken.push(format!("its row has the route {}, and template.yaml has {route}", row.route));
            }
            if !broken.is_empty() {
                failures.push(format!("{}: {}.\n{}", function.name, broken.join("; "), rules::listed(&run)));
            }
        } else {
            let missing = access_patterns::missing_row(&function.name, &route, &rules::costs(&run.operations));
            failures.push(format!("{missing}\n{}", rules::listed(&run)));
        }
        indexes.record(&run);
    }
    failures.extend(rows.into_keys().map(|function| access_patterns::needless_row(&function)));
    failures.extend(indexes.needless_projections());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Reads every list again with one entry to a page. The sample events have short lists, in which a
/// request for too many items may find no more than the page shows.
#[tokio::test]
async fn a_page_of_one_entry_reads_one_entry() {
    let runner = Runner::new().await.unwrap();
    let rows = access_patterns::patterns();
    let mut failures = vec![];
    let mut lists = 0;
    for function in &runner.template().functions {
        let event = runner.event(function).unwrap();
        if event["requestContext"]["http"]["method"] != "GET" {
            continue;
        }
        if !runner.run(function, &event).await.unwrap().is_list() {
            continue;
        }
        let whole_list = runner.run(function, &runner::with_page(&event, 100, None)).await.unwrap();
        lists += 1;
        let (mut entries, mut cursor) = (0, None);
        loop {
            let run = runner.run(function, &runner::with_page(&event, 1, cursor.as_deref())).await.unwrap();
            let mut broken = rules::reads_more_than_it_shows(&run);
            broken.extend(rules::requests_more_than(1, &run));
            // A page that does not read what it is about asks for it.
            let more = |row: &Pattern| usize::from(cursor.is_some() && row.description.contains("a later page needs"));
            if rows.get(&function.name).is_some_and(|row| run.operations.len() > row.costs.requests + more(row)) {
                broken.push("it makes more requests than its row says".to_owned());
            }
            if !broken.is_empty() {
                failures.push(format!("{}?limit=1: {}.\n{}", function.name, broken.join("; "), rules::listed(&run)));
                break;
            }
            entries += run.entries();
            let Some(next) = run.body["nextCursor"].as_str() else {
                let all = whole_list.entries();
                if entries != all {
                    failures.push(format!(
                        "{}?limit=1: the pages have {entries} entries, and the whole list has {all}",
                        function.name
                    ));
                }
                break;
            };
            cursor = Some(next.to_owned());
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(lists > 10, "only {lists} functions answer with a list");
}

#[tokio::test]
async fn each_request_with_include_costs_what_its_row_says() {
    let runner = Runner::new().await.unwrap();
    let rows = access_patterns::with_include();
    assert!(rows.len() > 10, "only {} rows", rows.len());
    let mut failures = vec![];
    for (request, costs) in rows {
        let (name, query) = request.split_once('?').unwrap();
        let function = runner.template().functions.iter().find(|function| function.name == name).unwrap();
        let mut event = runner.event(function).unwrap();
        let own = event["rawQueryString"].as_str().unwrap_or_default().to_owned();
        event["rawQueryString"] = [own.as_str(), query].join("&").trim_start_matches('&').into();
        let run = runner.run(function, &event).await.unwrap();
        failures.extend(
            costs
                .difference(&rules::costs(&run.operations))
                .map(|difference| format!("{request}: {difference}\n{}", rules::listed(&run))),
        );
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[tokio::test]
async fn an_idempotency_key_costs_what_its_row_says_and_no_request() {
    let runner = Runner::new().await.unwrap();
    let patterns = access_patterns::patterns();
    let rows = access_patterns::with_idempotency_key();
    assert_eq!(rows.len(), 3);
    for (name, costs) in rows {
        let function = runner.template().functions.iter().find(|function| function.name == name).unwrap();
        let mut event = runner.event(function).unwrap();
        event["headers"]["idempotency-key"] = "8e03978e-40d5-43dd-bc93-6894a57f9324".into();
        let run = runner.run(function, &event).await.unwrap();
        let difference = costs.difference(&rules::costs(&run.operations));
        assert_eq!(difference, None, "{name}\n{}", rules::listed(&run));
        assert_eq!(costs.requests, patterns[&name].costs.requests, "{name}");
    }
}

#[tokio::test]
async fn the_generated_parts_of_the_documents_are_what_the_generator_writes() {
    let runner = Runner::new().await.unwrap();
    let recordings = scale::record(&runner).await.unwrap();
    let root = root();
    for (document, text) in scale::documents(&root, &recordings).unwrap() {
        let committed = std::fs::read_to_string(root.join(document)).unwrap();
        let difference = committed.lines().zip(text.lines()).find(|(old, new)| old != new);
        assert!(
            committed == text,
            "{document} is not what the recorded requests, the prices and the assumptions say: run `cargo run --bin \
             scale`. The first different line: {difference:#?}"
        );
    }
}
