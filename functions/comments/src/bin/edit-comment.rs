//! The program of [`EditComment`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::edit_comment::EditComment;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<EditComment>().await
}
