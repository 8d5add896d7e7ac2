//! The program of [`FinishDeletion`].

// It has no tests of its own.
#![cfg(not(test))]

use workers::finish_deletion::FinishDeletion;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run::<FinishDeletion>().await
}
