//! The program of [`UnblockUser`].

// It has no tests of its own.
#![cfg(not(test))]

use blocks::unblock_user::UnblockUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UnblockUser>().await
}
