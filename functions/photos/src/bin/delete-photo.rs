//! The program of [`photos::delete_photo`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    photos::delete_photo::main().await
}
