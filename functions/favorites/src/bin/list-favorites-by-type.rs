//! The program of [`ListFavoritesByType`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::list_favorites_by_type::ListFavoritesByType;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListFavoritesByType>().await
}
