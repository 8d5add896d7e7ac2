//! The program of [`RestoreFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::restore_favorite::RestoreFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<RestoreFavorite>().await
}
