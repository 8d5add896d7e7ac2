//! The program of [`FindAndEnrichFollowing`].

// It has no tests of its own.
#![cfg(not(test))]

use follows::find_and_enrich_following::FindAndEnrichFollowing;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<FindAndEnrichFollowing>().await
}
