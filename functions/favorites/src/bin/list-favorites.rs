//! The program of [`ListFavorites`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::list_favorites::ListFavorites;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListFavorites>().await
}
