//! The program of [`catalogue::list_albums_by_genre`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    catalogue::list_albums_by_genre::main().await
}
