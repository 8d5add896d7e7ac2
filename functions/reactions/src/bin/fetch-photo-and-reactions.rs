//! The program of [`FetchPhotoAndReactions`].

// It has no tests of its own.
#![cfg(not(test))]

use reactions::fetch_photo_and_reactions::FetchPhotoAndReactions;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FetchPhotoAndReactions>().await
}
