//! The bytes of searches and writes of vectors, of which docs/access-patterns.md gives ranges.

use std::ops::RangeInclusive;

use local::recorder::Units;
use testing::access_patterns::DOCUMENT;
use testing::runner::Runner;
use tests::stack::root;

/// Returns the range of bytes in the row that begins with `request`.
fn range(request: &str) -> RangeInclusive<f64> {
    let document = std::fs::read_to_string(root().join(DOCUMENT)).unwrap();
    let (_, section) = document.split_once("## A search of vectors").unwrap();
    let row = section.lines().find_map(|line| line.strip_prefix("| ")?.strip_prefix(request));
    let cell = row.unwrap_or_else(|| panic!("no row begins with {request}")).split('|').nth(1).unwrap();
    let (first, last) = cell.trim().split_once('–').unwrap();
    let [first, last] = [first, last].map(|number| number.replace(',', "").parse().unwrap());
    first..=last
}

async fn bytes(runner: &Runner, function: &str, of: impl Fn(&Units) -> f64) -> f64 {
    let function = runner.template().functions.iter().find(|other| other.name == function).unwrap();
    let run = runner.run(function, &runner.event(function).unwrap()).await.unwrap();
    run.operations.iter().map(|operation| of(&operation.units)).sum()
}

#[tokio::test]
async fn vectors_take_the_bytes_of_their_rows() {
    let runner = Runner::new().await.unwrap();
    let put = bytes(&runner, "process-photo", |units| units.vector_write_bytes).await;
    assert!(range("Put or delete of a vector").contains(&put), "{put} bytes");
    // The index of the local engine is small, and its search reads all of it.
    let search = bytes(&runner, "list-similar-photos", |units| units.search_bytes).await;
    assert!(search > 0.0 && search <= *range("SearchVectors").end(), "{search} bytes");
}
