//! The program of [`blocks::unblock_user`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    blocks::unblock_user::main().await
}
