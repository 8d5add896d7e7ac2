//! The program of [`UntagFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::untag_favorite::UntagFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UntagFavorite>().await
}
