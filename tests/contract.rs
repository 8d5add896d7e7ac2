//! Tests that every function does exactly what `functions/NOUN/costs.toml` says.
//!
//! Each function runs as its own binary behind a recorder of its DynamoDB requests, with its event
//! of `events/` on the sample data. A stream function gets it after the change that the event
//! describes. The tests fail when
//!
//! - a function makes more or fewer requests than its entry says, or consumes more or fewer units;
//! - its operations, its indexes and its consistent reads are not those of the entry;
//! - a page of a list reads items that it does not show, or a Query requests more items than the
//!   page has room for, except in the table of feeds, whose references a page reads ahead;
//! - an entry names an operation or an index that the policy of its function does not allow, or the
//!   other way round;
//! - an index projects an attribute that no answer shows, or lacks one that a read needs;
//! - a function has no entry, or an entry has no function;
//! - a generated part of the documents is not what `cargo run --bin scale` writes.

mod captions;
mod indexes;
mod people;
mod pictures;
mod policies;
mod restricted;
pub(crate) mod rules;
pub(crate) mod sizes;
mod vectors;

use local::costs::{self, Callers, Pattern};
use local::services::dynamodb;
use local::template::Function;
use shared::dynamodb::Item;
use testing::runner::{self, Runner};
use tests::costs::patterns;
use tests::stack::root;

use self::indexes::Indexes;

/// Puts items into the table with this logical id.
pub(crate) fn import(runner: &Runner, table: &str, items: Vec<Item>) {
    let table = &runner.template().table(table).unwrap().name;
    dynamodb::import(runner.harness.database(), table, items).unwrap();
}

/// Describes an entry with callers or answers that its function has not, or without those that it
/// has, or with callers that the route does not name.
fn misplaced_callers(Pattern { who, answers, .. }: &Pattern, function: &Function) -> Option<String> {
    let Some(route) = function.routes.first() else {
        return (who.is_some() || answers.is_some())
            .then(|| "it has no route, so its entry needs neither `who` nor `answers`".to_owned());
    };
    let names = match who {
        Some(Callers::Owner(name)) => vec![name],
        Some(Callers::Either(names)) => names.iter().collect(),
        Some(_) => vec![],
        None => return Some("its entry needs `who`".to_owned()),
    };
    let is_named = |name: &&String| name.starts_with("body.") || route.path.contains(&format!("{{{name}}}"));
    let unknown = names.into_iter().find(|name| !is_named(name));
    let unknown = unknown.map(|name| format!("its entry names the caller {name}, and its route is {}", route.key()));
    unknown.or_else(|| answers.is_none().then(|| "its entry needs `answers`".to_owned()))
}

#[tokio::test]
async fn every_function_does_what_its_entry_says_and_nothing_needless() {
    let runner = Runner::new().await.unwrap();
    let mut patterns = patterns();
    let mut indexes = Indexes::new(runner.template());
    let mut failures = vec![];
    for function in &runner.template().functions {
        let run = runner.run(function, &runner.event(function).unwrap()).await.unwrap();
        if let Some(pattern) = patterns.remove(&function.name) {
            let mut broken = rules::broken(&pattern, &run);
            broken.extend(misplaced_callers(&pattern, function));
            if !broken.is_empty() {
                failures.push(format!("{}: {}.\n{}", function.name, broken.join("; "), rules::listed(&run)));
            }
        } else {
            failures.push(format!("{}\n{}", rules::missing_entry(function, &run), rules::listed(&run)));
        }
        indexes.record(&run);
    }
    failures.extend(patterns.into_iter().map(|(function, Pattern { noun, .. })| {
        format!(
            "{} has an entry for {function}, but template.yaml has no such function. Delete the entry",
            costs::file(&noun)
        )
    }));
    failures.extend(indexes.needless_projections());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Reads every list again with one entry to a page. The sample events have short lists, in which a
/// request for too many items may find no more than the page shows.
#[tokio::test]
async fn a_page_of_one_entry_reads_one_entry() {
    let runner = Runner::new().await.unwrap();
    let patterns = patterns();
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
            let Pattern { costs, .. } = &patterns[&function.name];
            let most =
                if cursor.is_some() { patterns[&function.name].requests_of_later_page() } else { costs.requests };
            if run.operations.len() > most {
                broken.push("it makes more requests than its entry says".to_owned());
            }
            broken.extend(rules::not_allowed(&patterns[&function.name], &run));
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
async fn each_request_with_a_query_costs_what_its_entry_says() {
    let runner = Runner::new().await.unwrap();
    let mut failures = vec![];
    let mut requests = 0;
    for (name, pattern) in patterns() {
        let function = runner.template().functions.iter().find(|function| function.name == name).unwrap();
        for (query, costs) in &pattern.with_query {
            let mut event = runner.event(function).unwrap();
            let own = event["rawQueryString"].as_str().unwrap_or_default().to_owned();
            event["rawQueryString"] = [own.as_str(), query].join("&").trim_start_matches('&').into();
            let run = runner.run(function, &event).await.unwrap();
            failures.extend(rules::failure(&format!("{name}?{query}"), &pattern, costs, &run));
            requests += 1;
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(requests > 10, "only {requests} requests");
}

#[tokio::test]
async fn an_idempotency_key_costs_what_its_entry_says_and_no_request() {
    let runner = Runner::new().await.unwrap();
    let mut functions = 0;
    for (name, pattern) in patterns() {
        let Some(costs) = &pattern.with_idempotency_key else { continue };
        let function = runner.template().functions.iter().find(|function| function.name == name).unwrap();
        let mut event = runner.event(function).unwrap();
        event["headers"]["idempotency-key"] = "8e03978e-40d5-43dd-bc93-6894a57f9324".into();
        let run = runner.run(function, &event).await.unwrap();
        assert_eq!(rules::failure(&name, &pattern, costs, &run), None);
        assert_eq!(costs.requests, pattern.costs.requests, "{name}");
        functions += 1;
    }
    assert_eq!(functions, 3);
}

#[tokio::test]
async fn a_further_field_costs_what_its_entry_says() {
    let runner = Runner::new().await.unwrap();
    let mut fields = 0;
    for (name, pattern) in patterns() {
        let function = runner.template().functions.iter().find(|function| function.name == name).unwrap();
        for (field, with) in &pattern.with_field {
            let event = with.add_to(field, runner.event(function).unwrap());
            let run = runner.run(function, &event).await.unwrap();
            assert_eq!(rules::failure(&format!("{name} with {field}"), &pattern, &with.costs, &run), None);
            fields += 1;
        }
    }
    assert_eq!(fields, 2);
}

#[tokio::test]
async fn the_generated_parts_of_the_documents_are_what_the_generator_writes() {
    let runner = Runner::new().await.unwrap();
    let recordings = scale::record(&runner).await.unwrap();
    let root = root();
    for (document, text) in scale::documents(&root, &recordings).unwrap() {
        let committed = std::fs::read_to_string(root.join(&document)).unwrap();
        let difference = committed.lines().zip(text.lines()).find(|(old, new)| old != new);
        assert!(
            committed == text,
            "{document} is not what the recorded requests, the prices and the assumptions say: run `cargo run --bin \
             scale`. The first different line: {difference:#?}"
        );
    }
}
