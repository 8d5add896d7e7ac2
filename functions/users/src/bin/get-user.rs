//! The program of [`GetUser`].

// It has no tests of its own.
#![cfg(not(test))]

use users::get_user::GetUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetUser>().await
}
