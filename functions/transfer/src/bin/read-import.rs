//! The program of [`ReadImport`].

// It has no tests of its own.
#![cfg(not(test))]

use transfer::read_import::ReadImport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::upload::run::<ReadImport>().await
}
