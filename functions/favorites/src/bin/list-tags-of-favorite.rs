//! The program of [`ListTagsOfFavorite`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::list_tags_of_favorite::ListTagsOfFavorite;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListTagsOfFavorite>().await
}
