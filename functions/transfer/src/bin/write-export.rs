//! The program of [`WriteExport`].

// It has no tests of its own.
#![cfg(not(test))]

use transfer::write_export::WriteExport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::queue::run::<_, WriteExport>().await
}
