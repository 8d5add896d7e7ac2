//! The program of [`GetFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::get_favorite::GetFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetFavorite>().await
}
