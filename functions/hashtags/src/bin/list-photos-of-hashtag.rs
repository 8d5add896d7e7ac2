//! The program of [`ListPhotosOfHashtag`].

// It has no tests of its own.
#![cfg(not(test))]

use hashtags::list_photos_of_hashtag::ListPhotosOfHashtag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListPhotosOfHashtag>().await
}
