//! The program of [`GetEmbed`].

// It has no tests of its own.
#![cfg(not(test))]

use links::get_embed::GetEmbed;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetEmbed>().await
}
