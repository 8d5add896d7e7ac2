//! The program of [`UpdateUser`].

// It has no tests of its own.
#![cfg(not(test))]

use users::update_user::UpdateUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UpdateUser>().await
}
