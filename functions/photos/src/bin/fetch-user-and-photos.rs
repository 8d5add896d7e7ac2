//! The program of [`FetchUserAndPhotos`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::fetch_user_and_photos::FetchUserAndPhotos;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FetchUserAndPhotos>().await
}
