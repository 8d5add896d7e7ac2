//! The program of [`GetTag`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::get_tag::GetTag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetTag>().await
}
