//! The program of [`RemoveReaction`].

// It has no tests of its own.
#![cfg(not(test))]

use reactions::remove_reaction::RemoveReaction;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<RemoveReaction>().await
}
