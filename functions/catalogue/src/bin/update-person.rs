//! The program of [`UpdatePerson`].

// It has no tests of its own.
#![cfg(not(test))]

use catalogue::update_person::UpdatePerson;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<UpdatePerson>().await
}
