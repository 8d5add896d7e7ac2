//! The program of [`ListReports`].

// It has no tests of its own.
#![cfg(not(test))]

use reports::list_reports::ListReports;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListReports>().await
}
