//! The program of [`GetProfileLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::get_profile_link::GetProfileLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetProfileLink>().await
}
