//! The program of [`ListFeed`].

// It has no tests of its own.
#![cfg(not(test))]

use feed::list_feed::ListFeed;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListFeed>().await
}
