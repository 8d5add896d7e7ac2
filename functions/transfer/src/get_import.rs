//! `GET /users/{username}/imports/{id}`: returns the state of an import of the caller, and what was
//! left out.
//!
//! One `GetItem` reads the import. A user has one at most, so the key is that of the user, and
//! another id is that of an import that does not exist any more. Neither does one of another
//! account that had the name. One that has expired counts as deleted.

use shared::dynamodb::{entity, expiry};
use shared::feed::{Import, Key};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::pictures::ShownImport;
use shared::values::{ImportId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run(get_import).await
}

async fn get_import(feed: Table, request: Request) -> Result<Response<ShownImport>, Error> {
    let username: Username = path(&request, "username")?;
    let id: ImportId = path(&request, "id")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;

    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::import(&username).into()));
    let item = get.send().await?.item.filter(|item| !expiry::has_expired(item));
    let import: Option<Import> = item.map(entity::from_item).transpose()?;
    match import.filter(|import| import.id == id && import.subject == caller.subject) {
        Some(import) => answer::private(&ShownImport::new(import, None)),
        None => Err(Error::NotFound(format!("import {id}"))),
    }
}
