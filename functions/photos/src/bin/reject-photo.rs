//! The program of [`photos::reject_photo`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    Box::pin(photos::reject_photo::main()).await
}
