//! The program of [`FollowUser`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::follow_user::FollowUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FollowUser>().await
}
