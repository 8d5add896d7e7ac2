//! The program of [`ClipFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::clip_favorite::ClipFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ClipFavorite>().await
}
