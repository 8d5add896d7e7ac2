//! The program of [`RejectPhoto`].

// It has no tests of its own.
#![cfg(not(test))]

use photos::reject_photo::RejectPhoto;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::upload::run::<RejectPhoto>().await
}
