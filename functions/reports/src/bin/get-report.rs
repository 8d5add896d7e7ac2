//! The program of [`GetReport`].

// It has no tests of its own.
#![cfg(not(test))]

use reports::get_report::GetReport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetReport>().await
}
