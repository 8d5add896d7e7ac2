//! The program of [`PutAlerts`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::put_alerts::PutAlerts;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutAlerts>().await
}
