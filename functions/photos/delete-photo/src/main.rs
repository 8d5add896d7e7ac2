//! `DELETE /users/{username}/photos/{timestamp}`: the photo is gone at once, by one `DeleteItem`. What hangs on it has
//! no bound, so finish-deletion clears it, from the stream. Repeated, it changes nothing.

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
