//! The program of [`ListBlocks`].

// It has no tests of its own.
#![cfg(not(test))]

use blocks::list_blocks::ListBlocks;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListBlocks>().await
}
