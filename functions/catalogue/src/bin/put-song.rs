//! The program of [`PutSong`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::put_song::PutSong;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutSong>().await
}
