//! The program of [`GetLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::get_link::GetLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetLink>().await
}
