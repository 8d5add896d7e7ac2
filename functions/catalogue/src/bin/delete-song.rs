//! The program of [`DeleteSong`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::delete_song::DeleteSong;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeleteSong>().await
}
