//! The program of [`ProcessChanges`].

// It has no tests of its own.
#![cfg(not(test))]

use workers::process_changes::ProcessChanges;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run_batches::<ProcessChanges>().await
}
