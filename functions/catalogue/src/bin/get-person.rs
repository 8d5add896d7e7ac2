//! The program of [`GetPerson`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::get_person::GetPerson;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<GetPerson>().await
}
