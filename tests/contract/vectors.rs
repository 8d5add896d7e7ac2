//! The bytes of searches and writes of vectors, of which the entries have ranges.

use local::recorder::Units;
use testing::runner::Runner;
use tests::costs::patterns;

async fn bytes(runner: &Runner, function: &str, of: impl Fn(&Units) -> f64) -> f64 {
    let function = runner.template().functions.iter().find(|other| other.name == function).unwrap();
    let run = runner.run(function, &runner.event(function).unwrap()).await.unwrap();
    run.operations.iter().map(|operation| of(&operation.units)).sum()
}

#[tokio::test]
async fn vectors_take_the_bytes_of_their_entries() {
    let (runner, patterns) = (Runner::new().await.unwrap(), patterns());
    let put = bytes(&runner, "process-photo", |units| units.vector_write_bytes).await;
    let [fewest, most] = patterns["process-photo"].vector_bytes.unwrap();
    assert!((fewest..=most).contains(&put), "{put} bytes");
    // The index of the local engine is small, and its search reads all of it.
    let search = bytes(&runner, "list-similar-photos", |units| units.search_bytes).await;
    let [_, most] = patterns["list-similar-photos"].search_bytes.unwrap();
    assert!(search > 0.0 && search <= most, "{search} bytes");
}
