//! The program of [`ReadFeed`].

// It has no tests of its own.
#![cfg(not(test))]

use feed::read_feed::ReadFeed;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ReadFeed>().await
}
