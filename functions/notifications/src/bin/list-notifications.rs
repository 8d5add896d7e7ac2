//! The program of [`ListNotifications`].

// It has no tests of its own.
#![cfg(not(test))]

use notifications::list_notifications::ListNotifications;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListNotifications>().await
}
