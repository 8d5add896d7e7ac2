//! The program of [`DeleteDevice`].

// It has no tests of its own.
#![cfg(not(test))]

use notifications::delete_device::DeleteDevice;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteDevice>().await
}
