//! The program of [`RankPhotos`].

// It has no tests of its own.
#![cfg(not(test))]

use rankings::rank_photos::RankPhotos;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::schedule::run::<RankPhotos>().await
}
