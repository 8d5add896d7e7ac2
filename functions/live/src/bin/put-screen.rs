//! The program of [`PutScreen`].

// It has no tests of its own.
#![cfg(not(test))]

use live::put_screen::PutScreen;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutScreen>().await
}
