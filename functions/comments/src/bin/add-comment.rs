//! The program of [`AddComment`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::add_comment::AddComment;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<AddComment>().await
}
