//! The program of [`UnsavePhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::unsave_photo::UnsavePhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UnsavePhoto>().await
}
