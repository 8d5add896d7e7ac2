//! The program of [`ListFavoritesByTag`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::list_favorites_by_tag::ListFavoritesByTag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListFavoritesByTag>().await
}
