//! The program of [`UnclipFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::unclip_favorite::UnclipFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UnclipFavorite>().await
}
