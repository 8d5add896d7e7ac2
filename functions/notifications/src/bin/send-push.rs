//! The program of [`SendPush`].

// It has no tests of its own.
#![cfg(not(test))]

use notifications::send_push::SendPush;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run_batches::<SendPush>().await
}
