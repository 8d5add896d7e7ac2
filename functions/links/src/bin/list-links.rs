//! The program of [`ListLinks`].

// It has no tests of its own.
#![cfg(not(test))]

use links::list_links::ListLinks;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListLinks>().await
}
