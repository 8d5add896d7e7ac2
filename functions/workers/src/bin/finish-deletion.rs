//! The program of [`workers::finish_deletion`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    workers::finish_deletion::main().await
}
