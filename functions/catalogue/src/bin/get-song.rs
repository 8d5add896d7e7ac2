//! The program of [`GetSong`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::get_song::GetSong;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetSong>().await
}
