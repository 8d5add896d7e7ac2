//! The program of [`DeleteLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::delete_link::DeleteLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteLink>().await
}
