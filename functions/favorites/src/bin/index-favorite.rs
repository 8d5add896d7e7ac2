//! The program of [`IndexFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::index_favorite::IndexFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run::<IndexFavorite>().await
}
