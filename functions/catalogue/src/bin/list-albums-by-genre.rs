//! The program of [`ListAlbumsByGenre`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::list_albums_by_genre::ListAlbumsByGenre;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListAlbumsByGenre>().await
}
