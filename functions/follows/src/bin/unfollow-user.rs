//! The program of [`UnfollowUser`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::unfollow_user::UnfollowUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UnfollowUser>().await
}
