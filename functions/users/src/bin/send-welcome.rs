//! The program of [`SendWelcome`].

// It has no tests of its own.
#![cfg(not(test))]

use users::send_welcome::SendWelcome;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run::<SendWelcome>().await
}
