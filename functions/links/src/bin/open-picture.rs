//! The program of [`OpenPicture`].

// It has no tests of its own.
#![cfg(not(test))]

use links::open_picture::OpenPicture;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<OpenPicture>().await
}
