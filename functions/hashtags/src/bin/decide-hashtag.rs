//! The program of [`DecideHashtag`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::decide_hashtag::DecideHashtag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DecideHashtag>().await
}
