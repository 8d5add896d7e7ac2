//! Deletes the link of a photo ([`own_link`] has the requests).

use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::PhotoId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::own_link;

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteLink {
    table: Table,
}

impl Route for DeleteLink {
    const NAME: &'static str = "delete-link";
    const ROUTE: &'static str = "DELETE /users/{username}/photos/{photo}/link";
    const SUMMARY: &'static str = "Ends the link of a photo of the caller.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("The photo has no link. What the link opened is gone everywhere within a minute.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<PhotoId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller), Path(photo)): Self::Input) -> Result<Response<()>, Error> {
        own_link::delete(&self.table, &caller, Some(&photo)).await?;
        Ok(answer::no_content())
    }
}
