//! The program of [`AcceptFollowRequest`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::accept_follow_request::AcceptFollowRequest;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<AcceptFollowRequest>().await
}
