//! The program of [`LikeComment`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::like_comment::LikeComment;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<LikeComment>().await
}
