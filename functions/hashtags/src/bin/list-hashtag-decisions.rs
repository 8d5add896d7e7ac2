//! The program of [`ListHashtagDecisions`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::list_hashtag_decisions::ListHashtagDecisions;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListHashtagDecisions>().await
}
