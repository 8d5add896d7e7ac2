//! The program of [`DeleteUser`].

// It has no tests of its own.
#![cfg(not(test))]

use users::delete_user::DeleteUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteUser>().await
}
