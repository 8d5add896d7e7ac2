//! The program of [`catalogue::delete_song`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    catalogue::delete_song::main().await
}
