//! The program of [`OpenLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::open_link::OpenLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<OpenLink>().await
}
