//! The program of [`SavePhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::save_photo::SavePhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<SavePhoto>().await
}
