//! The program of [`DecideReport`].

// It has no tests of its own.
#![cfg(not(test))]

use reports::decide_report::DecideReport;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DecideReport>().await
}
