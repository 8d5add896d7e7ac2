//! The program of [`SearchHashtags`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::search_hashtags::SearchHashtags;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<SearchHashtags>().await
}
