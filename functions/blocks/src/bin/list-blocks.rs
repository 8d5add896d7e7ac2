//! The program of [`blocks::list_blocks`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    blocks::list_blocks::main().await
}
