//! The program of [`GetImport`].

// It has no tests of its own.
#![cfg(not(test))]

use transfer::get_import::GetImport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetImport>().await
}
