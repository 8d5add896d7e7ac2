//! The program of [`CreateExport`].

// It has no tests of its own.
#![cfg(not(test))]

use transfer::create_export::CreateExport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<CreateExport>().await
}
