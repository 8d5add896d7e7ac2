//! One `GetItem` reads the export. A user has one at most, so the key is that of the user, and
//! another id is that of an export that does not exist any more. Neither does one of another
//! account that had the name. One that has expired counts as deleted, also while DynamoDB has not
//! deleted it yet.

use shared::dynamodb::{entity, expiry};
use shared::entities::{Export, Key};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::show::{ShownExport, Signer};
use shared::values::ExportId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetExport {
    feed: Table,
    signer: Signer,
}

impl Route for GetExport {
    const NAME: &'static str = "get-export";
    const ROUTE: &'static str = "GET /users/{username}/exports/{id}";
    const SUMMARY: &'static str =
        "Returns the state of an export of the caller, and the URL of its file when it is ready.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoExport];

    type Input = (Owner, Path<ExportId>);
    type Body = ShownExport;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { feed: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(&self, (Owner(caller), Path(id)): Self::Input) -> Result<Response<ShownExport>, Error> {
        let Self { feed, signer } = self;
        let username = &caller.username;

        let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::export(username).into()));
        let item = get.send().await?.item.filter(|item| !expiry::has_expired(item));
        let export: Option<Export> = item.map(entity::from_item).transpose()?;
        match export.filter(|export| export.id == id && export.subject == caller.subject) {
            Some(export) => answer::private(&signer.show_export(username, export)),
            None => Err(Error::refused(ErrorKind::NoExport, "This export is not available any more.")),
        }
    }
}
