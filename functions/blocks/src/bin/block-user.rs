//! The program of [`BlockUser`].

// It has no tests of its own.
#![cfg(not(test))]

use blocks::block_user::BlockUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<BlockUser>().await
}
