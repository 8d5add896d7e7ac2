//! The program of [`UnlikeComment`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::unlike_comment::UnlikeComment;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UnlikeComment>().await
}
