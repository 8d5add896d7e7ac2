//! The program of [`ListRecentPhotos`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::list_recent_photos::ListRecentPhotos;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListRecentPhotos>().await
}
