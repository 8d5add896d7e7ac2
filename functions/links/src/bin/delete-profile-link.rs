//! The program of [`DeleteProfileLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::delete_profile_link::DeleteProfileLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteProfileLink>().await
}
