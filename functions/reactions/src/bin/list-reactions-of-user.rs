//! The program of [`reactions::list_reactions_of_user`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    reactions::list_reactions_of_user::main().await
}
