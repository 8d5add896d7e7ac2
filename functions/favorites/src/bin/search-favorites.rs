//! The program of [`SearchFavorites`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::search_favorites::SearchFavorites;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<SearchFavorites>().await
}
