//! The program of [`PutDevice`].

// It has no tests of its own.
#![cfg(not(test))]

use notifications::put_device::PutDevice;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutDevice>().await
}
