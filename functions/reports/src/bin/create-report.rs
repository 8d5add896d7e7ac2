//! The program of [`CreateReport`].

// It has no tests of its own.
#![cfg(not(test))]

use reports::create_report::CreateReport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<CreateReport>().await
}
