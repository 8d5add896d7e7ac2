//! The program of [`UpdatePhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::update_photo::UpdatePhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UpdatePhoto>().await
}
