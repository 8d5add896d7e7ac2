//! The program of [`DeletePhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::delete_photo::DeletePhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeletePhoto>().await
}
