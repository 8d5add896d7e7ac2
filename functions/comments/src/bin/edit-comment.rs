//! The program of [`comments::edit_comment`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    comments::edit_comment::main().await
}
