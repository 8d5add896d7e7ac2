//! The program of [`favorites::index_favorite`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    favorites::index_favorite::main().await
}
