//! The program of [`ListComments`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::list_comments::ListComments;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListComments>().await
}
