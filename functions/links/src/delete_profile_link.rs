//! Deletes the link of the caller's profile ([`own_link`] has the requests).

use shared::http::answer;
use shared::http::extract::Owner;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::own_link;

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteProfileLink {
    table: Table,
}

impl Route for DeleteProfileLink {
    const NAME: &'static str = "delete-profile-link";
    const ROUTE: &'static str = "DELETE /users/{username}/link";
    const SUMMARY: &'static str = "Ends the link of the caller's profile.";
    const SUCCESSES: &'static [Success] =
        &[Success::no_content("The profile has no link. What the link opened is gone everywhere within a minute.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner,);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(&self, (Owner(caller),): Self::Input) -> Result<Response<()>, Error> {
        own_link::delete(&self.table, &caller, None).await?;
        Ok(answer::no_content())
    }
}
