//! The program of [`RenameTag`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::rename_tag::RenameTag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<RenameTag>().await
}
