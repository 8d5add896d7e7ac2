//! The program of [`GetExport`].

// It has no tests of its own.
#![cfg(not(test))]

use transfer::get_export::GetExport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetExport>().await
}
