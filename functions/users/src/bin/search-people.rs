//! The program of [`SearchPeople`].

// It has no tests of its own.
#![cfg(not(test))]

use users::search_people::SearchPeople;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<SearchPeople>().await
}
