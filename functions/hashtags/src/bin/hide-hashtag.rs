//! The program of [`HideHashtag`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::hide_hashtag::HideHashtag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<HideHashtag>().await
}
