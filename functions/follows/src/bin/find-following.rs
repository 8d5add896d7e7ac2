//! The program of [`FindFollowing`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::find_following::FindFollowing;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FindFollowing>().await
}
