//! The program of [`photos::process_photo`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    Box::pin(photos::process_photo::main()).await
}
