//! The program of [`UnfollowHashtag`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::unfollow_hashtag::UnfollowHashtag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UnfollowHashtag>().await
}
