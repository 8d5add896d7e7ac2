//! The numbers of docs/comparison.md: those of this project are the contract, and those of others
//! are what `comparison/measure.py` prints. The script is skipped unless the environment variable
//! `QUICK_PHOTOS_PYTHON` names a Python with boto3.

mod tables;

use std::fs;

use local::costs::Costs;
use local::sample::{FEED, QUICK_PHOTOS};
use local::stack::{Data, Options};
use testing::runner::Runner;
use tests::costs;
use tests::stack::{root, start};
use tests::tools::{output_of_script, tool};

use self::tables::Cells;
use crate::contract::{import, rules, sizes};

const DOCUMENT: &str = "docs/comparison.md";

/// The row of a page that no entry of costs.toml has.
const FEED_OF_NINE: &str = "a home feed of 20 photos by nine authors";

/// The columns of the others, in the order of the script.
const OTHERS: [&str; 3] = ["AWS's schema", "the lab", "dynamodb-instagram"];

/// Returns the rows of all tables in the document that have a column of this name.
fn rows(column: &str) -> Vec<Cells> {
    tables::rows(&fs::read_to_string(root().join(DOCUMENT)).unwrap(), column)
}

/// Returns the costs as a cell of the document: requests, read units and write units.
fn cell(costs: &Costs) -> String {
    let units = |units: f64| if units == 0.0 { "–".to_owned() } else { units.to_string() };
    format!("{} / {} / {}", costs.requests, units(costs.reads), units(costs.writes))
}

#[test]
fn our_numbers_are_those_of_the_contract() {
    let costs = costs::of_requests();
    let rows = rows("function");
    assert!(rows.len() > 8, "only {} rows", rows.len());
    for row in rows.iter().filter(|row| row["pattern"] != FEED_OF_NINE) {
        let of = &row["function"];
        let costs = costs.get(of).unwrap_or_else(|| panic!("costs.toml has no entry for {of}"));
        assert_eq!(row["Quick Photos"], cell(costs), "{of} in {DOCUMENT}, and in costs.toml");
    }
}

#[tokio::test]
async fn a_feed_of_nine_authors_costs_what_its_row_says() {
    let runner = Runner::new().await.unwrap();
    let (photos, feed) = sizes::feed_of("reader", sizes::LEAST_ENTRIES, 9);
    import(&runner, QUICK_PHOTOS, photos);
    import(&runner, FEED, feed);
    runner.harness.snapshot().unwrap();
    let (function, event) = runner.request("GET", "reader", "/users/reader/feed?limit=20").unwrap();
    let run = runner.run(function, &event).await.unwrap();
    assert_eq!(run.entries(), 20);
    let row = rows("function").into_iter().find(|row| row["pattern"] == FEED_OF_NINE).unwrap();
    assert_eq!(row["function"], function.name);
    assert_eq!(row["Quick Photos"], cell(&run.costs()), "{}", rules::listed(&run));
}

#[tokio::test]
async fn the_numbers_of_others_are_what_the_script_prints() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let stack = start(Options { data: Data::Empty, ..Options::default() }).await;
    let output = output_of_script(&python, "comparison/measure.py", stack.dynamodb()).await;
    stack.shutdown().await;
    let rows = rows("pattern");
    // The name of an error stands in a sentence.
    let states =
        |cell: &str, printed: &str| cell.trim_matches('*') == printed || cell.contains(&format!("`{printed}`"));
    let mut compared = 0;
    for line in output.lines() {
        let (pattern, cells) = line.split_once(" | ").unwrap();
        for (column, printed) in OTHERS.iter().zip(cells.split(" | ")).filter(|(_, printed)| !printed.is_empty()) {
            compared += 1;
            let is_stated = rows.iter().any(|row| row["pattern"] == pattern && states(&row[*column], printed));
            assert!(is_stated, "{DOCUMENT} does not say {printed:?} of {pattern} in the column {column}");
        }
    }
    assert_eq!(compared, 23, "{output}");
}
