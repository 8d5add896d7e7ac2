//! The program of [`UploadPhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::upload_photo::UploadPhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UploadPhoto>().await
}
