//! The program of [`catalogue::get_song`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    catalogue::get_song::main().await
}
