//! The program of [`ListCommentsOfUser`].

// It has no tests of its own.
#![cfg(not(test))]

use comments::list_comments_of_user::ListCommentsOfUser;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), shared::StartError> {
    shared::runtime::route::run::<ListCommentsOfUser>().await
}
