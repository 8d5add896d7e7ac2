//! The program of [`ProcessPhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::process_photo::ProcessPhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::upload::run::<ProcessPhoto>().await
}
