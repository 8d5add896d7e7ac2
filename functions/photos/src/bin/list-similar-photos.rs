//! The program of [`ListSimilarPhotos`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::list_similar_photos::ListSimilarPhotos;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListSimilarPhotos>().await
}
