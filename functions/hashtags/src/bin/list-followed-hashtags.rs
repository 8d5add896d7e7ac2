//! The program of [`ListFollowedHashtags`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::list_followed_hashtags::ListFollowedHashtags;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListFollowedHashtags>().await
}
