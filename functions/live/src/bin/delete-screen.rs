//! The program of [`DeleteScreen`].

// It has no tests of its own.
#![cfg(not(test))]

use live::delete_screen::DeleteScreen;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteScreen>().await
}
