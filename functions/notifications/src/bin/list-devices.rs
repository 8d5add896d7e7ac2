//! The program of [`ListDevices`].

// It has no tests of its own.
#![cfg(not(test))]

use notifications::list_devices::ListDevices;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListDevices>().await
}
