//! The program of [`FetchUserAndFollowers`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::fetch_user_and_followers::FetchUserAndFollowers;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FetchUserAndFollowers>().await
}
