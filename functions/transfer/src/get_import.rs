//! One `GetItem` reads the import. A user has one at most, so the key is that of the user, and
//! another id is that of an import that does not exist any more. Neither does one of another
//! account that had the name. One that has expired counts as deleted.

use shared::dynamodb::{entity, expiry};
use shared::entities::{Import, Key};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::show::ShownImport;
use shared::values::ImportId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetImport {
    feed: Table,
}

impl Route for GetImport {
    const NAME: &'static str = "get-import";
    const ROUTE: &'static str = "GET /users/{username}/imports/{id}";
    const SUMMARY: &'static str = "Returns the state of an import of the caller, and what was left out.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoImport];

    type Input = (Owner, Path<ImportId>);
    type Body = ShownImport;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { feed: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Path(id)): Self::Input) -> Result<Response<ShownImport>, Error> {
        let Self { feed } = self;
        let username = &caller.username;

        let get = feed.client.get_item().table_name(&feed.name).set_key(Some(Key::import(username).into()));
        let item = get.send().await?.item.filter(|item| !expiry::has_expired(item));
        let import: Option<Import> = item.map(entity::from_item).transpose()?;
        match import.filter(|import| import.id == id && import.subject == caller.subject) {
            Some(import) => answer::private(&ShownImport::new(import, None)),
            None => Err(Error::refused(ErrorKind::NoImport, "This import is not available any more.")),
        }
    }
}
