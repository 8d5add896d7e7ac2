//! The program of [`ListSongsByArtist`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::list_songs_by_artist::ListSongsByArtist;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListSongsByArtist>().await
}
