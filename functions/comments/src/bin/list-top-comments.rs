//! The program of [`ListTopComments`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::list_top_comments::ListTopComments;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListTopComments>().await
}
