//! The program of [`DeleteAlerts`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::delete_alerts::DeleteAlerts;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteAlerts>().await
}
