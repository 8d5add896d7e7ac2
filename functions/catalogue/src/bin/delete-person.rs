//! The program of [`DeletePerson`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::delete_person::DeletePerson;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<DeletePerson>().await
}
