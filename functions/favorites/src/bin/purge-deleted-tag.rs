//! The program of [`favorites::purge_deleted_tag`].

// It has no tests of its own.
#![cfg(not(test))]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_runtime::Error> {
    favorites::purge_deleted_tag::main().await
}
