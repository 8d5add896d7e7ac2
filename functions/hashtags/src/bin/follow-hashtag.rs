//! The program of [`FollowHashtag`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::follow_hashtag::FollowHashtag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FollowHashtag>().await
}
