//! `GET /users/{username}/exports/{id}`: returns the state of an export of the caller, and the URL
//! of its file when it is ready.
//!
//! One `GetItem` reads the export. A user has one at most, so the key is that of the user, and
//! another id is that of an export that does not exist any more. Neither does one of another
//! account that had the name. One that has expired counts as deleted, also while DynamoDB has not
//! deleted it yet.

use shared::dynamodb::{entity, expiry};
use shared::feed::{Export, Key};
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::pictures::{ShownExport, Signer};
use shared::values::{ExportId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run(|feed, request| get_export(feed, request, &signer)).await
}

async fn get_export(feed: Table, request: Request, signer: &Signer) -> Result<Response<ShownExport>, Error> {
    let username: Username = path(&request, "username")?;
    let id: ExportId = path(&request, "id")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;

    let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::export(&username).into()));
    let item = get.send().await?.item.filter(|item| !expiry::has_expired(item));
    let export: Option<Export> = item.map(entity::from_item).transpose()?;
    match export.filter(|export| export.id == id && export.subject == caller.subject) {
        Some(export) => answer::private(&signer.show_export(&username, export)),
        None => Err(Error::NotFound(format!("export {id}"))),
    }
}
