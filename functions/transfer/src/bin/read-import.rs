//! The program of [`transfer::read_import`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    Box::pin(transfer::read_import::main()).await
}
