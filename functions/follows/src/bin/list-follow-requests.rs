//! The program of [`ListFollowRequests`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::list_follow_requests::ListFollowRequests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListFollowRequests>().await
}
