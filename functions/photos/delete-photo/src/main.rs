//! `DELETE /users/{username}/photos/{timestamp}`: deletes a photo of the caller.
//!
//! One `DeleteItem` deletes the photo. It can have more reactions than one request can delete, so `finish-deletion`
//! deletes them, from the table's stream. A repeated request changes nothing.

use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::photos::Key;
use shared::values::{Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_photo).await
}

async fn delete_photo(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::of(&request)?;
    caller.must_be(&username)?;

    table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&username, &timestamp).into()))
        .send()
        .await?;
    Ok(answer::no_content())
}
