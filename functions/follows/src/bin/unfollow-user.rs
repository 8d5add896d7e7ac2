//! The program of [`follows::unfollow_user`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    follows::unfollow_user::main().await
}
