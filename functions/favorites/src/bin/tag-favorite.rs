//! The program of [`TagFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::tag_favorite::TagFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<TagFavorite>().await
}
