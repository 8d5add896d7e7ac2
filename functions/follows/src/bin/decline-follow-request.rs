//! The program of [`DeclineFollowRequest`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::decline_follow_request::DeclineFollowRequest;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeclineFollowRequest>().await
}
