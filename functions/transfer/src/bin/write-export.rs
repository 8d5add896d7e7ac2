//! The program of [`transfer::write_export`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    transfer::write_export::main().await
}
