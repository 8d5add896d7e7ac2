//! The program of [`CreateImport`].

// It has no tests of its own.
#![cfg(not(test))]

use transfer::create_import::CreateImport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<CreateImport>().await
}
