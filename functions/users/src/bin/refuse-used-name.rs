//! The program of [`RefuseUsedName`].

// It has no tests of its own.
#![cfg(not(test))]

use users::refuse_used_name::RefuseUsedName;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::trigger::run::<RefuseUsedName>().await
}
