//! The program of [`users::refuse_used_name`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    Box::pin(users::refuse_used_name::main()).await
}
