//! Binaries that are built again while the stack runs.

use std::fs::{self, File};

use super::*;

#[tokio::test]
async fn a_new_binary_gets_the_next_event_and_the_old_one_ends_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let binary = directory.path().join("function.sh");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lambda/runtime/function.sh");
    fs::copy(&source, &binary).unwrap();
    let runtime = Arc::new(runtime_in(directory.path(), "Timeout: 60", TEST_TIMEOUT, &activity()));
    let first = pid(&runtime).await;
    assert_eq!(pid(&runtime).await, first);

    let gate = Gate::new().await;
    let (other, event) = (runtime.clone(), gate.event());
    let under_way = tokio::spawn(async move { invoke(&other, event).await });
    let held = gate.arrival().await;
    // Cargo removes a binary, and gives its name to the new one.
    fs::remove_file(&binary).unwrap();
    fs::copy(&source, &binary).unwrap();
    File::open(&binary).unwrap().set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    let second = pid(&runtime).await;
    assert_ne!(second, first);
    drop(held);
    assert_eq!(under_way.await.unwrap().unwrap()["pid"], first);
    // The process that has just ended its event is the one that was used last.
    assert_eq!(pid(&runtime).await, second);
    wait_for_the_end_of(first).await;
}
