//! The program of [`DeleteComment`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::delete_comment::DeleteComment;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteComment>().await
}
