//! The program of [`ShowHashtag`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::show_hashtag::ShowHashtag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ShowHashtag>().await
}
