//! The program of [`ListReactionsOfUser`].

// It has no tests of its own.
#![cfg(not(test))]

use reactions::list_reactions_of_user::ListReactionsOfUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListReactionsOfUser>().await
}
