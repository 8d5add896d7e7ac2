//! The program of [`PutLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::put_link::PutLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutLink>().await
}
