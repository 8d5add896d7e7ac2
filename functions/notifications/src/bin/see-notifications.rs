//! The program of [`notifications::see_notifications`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    notifications::see_notifications::main().await
}
