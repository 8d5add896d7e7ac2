//! The program of [`PutPerson`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::put_person::PutPerson;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<PutPerson>().await
}
