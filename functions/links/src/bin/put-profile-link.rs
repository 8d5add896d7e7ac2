//! The program of [`PutProfileLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::put_profile_link::PutProfileLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutProfileLink>().await
}
