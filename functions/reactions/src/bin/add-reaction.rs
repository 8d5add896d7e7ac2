//! The program of [`AddReaction`].

// It has no tests of its own.
#![cfg(not(test))]

use reactions::add_reaction::AddReaction;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<AddReaction>().await
}
