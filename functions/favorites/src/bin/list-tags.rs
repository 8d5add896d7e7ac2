//! The program of [`ListTags`].

// It has no tests of its own.
#![cfg(not(test))]

use favorites::list_tags::ListTags;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListTags>().await
}
