//! The program of [`ListSuggestions`].

// It has no tests of its own.
#![cfg(not(test))]

use users::list_suggestions::ListSuggestions;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListSuggestions>().await
}
