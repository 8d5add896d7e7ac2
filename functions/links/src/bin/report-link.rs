//! The program of [`ReportLink`].

// It has no tests of its own.
#![cfg(not(test))]

use links::report_link::ReportLink;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ReportLink>().await
}
