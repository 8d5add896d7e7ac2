//! The program of [`DeleteTag`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::delete_tag::DeleteTag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteTag>().await
}
