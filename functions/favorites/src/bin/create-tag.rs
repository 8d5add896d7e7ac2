//! The program of [`CreateTag`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::create_tag::CreateTag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<CreateTag>().await
}
