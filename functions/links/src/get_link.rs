//! One consistent `GetItem` reads the link.

use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::PhotoId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::own_link::{self, Address, OwnLink, no_link};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetLink {
    table: Table,
    address: Address,
}

impl Route for GetLink {
    const NAME: &'static str = "get-link";
    const ROUTE: &'static str = "GET /users/{username}/photos/{photo}/link";
    const SUMMARY: &'static str = "Returns the link of a photo of the caller.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoLink];

    type Input = (Owner, Path<PhotoId>);
    type Body = OwnLink;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, address: Address::from_process(process)? })
    }

    async fn answer(&self, (Owner(caller), Path(photo)): Self::Input) -> Result<Response<OwnLink>, Error> {
        let link = own_link::get(&self.table, &caller.username, Some(&photo)).await?;
        let link = link.filter(|link| !link.is_over()).ok_or_else(no_link)?;
        answer::private(&self.address.show(link))
    }
}
