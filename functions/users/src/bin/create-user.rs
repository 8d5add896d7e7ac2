//! The program of [`CreateUser`].

// It has no tests of its own.
#![cfg(not(test))]

use users::create_user::CreateUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<CreateUser>().await
}
