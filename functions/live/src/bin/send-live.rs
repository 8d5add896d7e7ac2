//! The program of [`SendLive`].

// It has no tests of its own.
#![cfg(not(test))]

use live::send_live::SendLive;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run_batches::<SendLive>().await
}
