//! The program of [`PurgeDeletedTag`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::purge_deleted_tag::PurgeDeletedTag;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::stream::run::<PurgeDeletedTag>().await
}
