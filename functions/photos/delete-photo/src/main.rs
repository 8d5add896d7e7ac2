//! `DELETE /users/{username}/photos/{timestamp}`: deletes a photo of the caller.
//!
//! One `UpdateItem` replaces the photo with a `PhotoDeletion`, on the condition that the photo exists
//! ([`replace_with_photo_deletion`]). From then on no answer shows the photo. It can have more reactions than one
//! request can delete, so `finish-deletion` deletes them, from the table's stream, and the `PhotoDeletion` last. A
//! repeated request changes nothing.

use shared::dynamodb::unless_condition_failed;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::photos::replace_with_photo_deletion;
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_photo).await
}

async fn delete_photo(table: Table, request: Request) -> Result<Response<()>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;

    let replaced = replace_with_photo_deletion(&table, &username, &timestamp).send().await;
    // If the condition failed, the photo does not exist, or a `PhotoDeletion` has replaced it already.
    unless_condition_failed(replaced)?;
    Ok(answer::no_content())
}
