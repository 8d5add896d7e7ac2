//! The program of [`SeeNotifications`].

// It has no tests of its own.
#![cfg(not(test))]

use notifications::see_notifications::SeeNotifications;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<SeeNotifications>().await
}
