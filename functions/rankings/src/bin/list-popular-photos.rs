//! The program of [`ListPopularPhotos`].

// It has no tests of its own.
#![cfg(not(test))]

use rankings::list_popular_photos::ListPopularPhotos;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListPopularPhotos>().await
}
