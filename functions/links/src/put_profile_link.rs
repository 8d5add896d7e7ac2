//! Puts the link of the caller's profile ([`own_link`] has the requests).

use shared::http::answer;
use shared::http::extract::{Body, Owner};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::own_link::{self, Address, OwnLink, Settings};

#[cfg(test)]
mod tests;

/// The route.
pub struct PutProfileLink {
    table: Table,
    address: Address,
}

impl Route for PutProfileLink {
    const NAME: &'static str = "put-profile-link";
    const ROUTE: &'static str = "PUT /users/{username}/link";
    const SUMMARY: &'static str = "Makes a link that shows the caller's profile and newest photos for everyone to anyone who has it, \
         without an account.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyLinks];

    type Input = (Owner, Body<Settings>);
    type Body = OwnLink;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, address: Address::from_process(process)? })
    }

    async fn answer(&self, (Owner(caller), Body(settings)): Self::Input) -> Result<Response<OwnLink>, Error> {
        let (link, is_new) = own_link::put(&self.table, &caller, None, &settings).await?;
        let link = self.address.show(link);
        if is_new { answer::created_at(&format!("/users/{}/link", caller.username), &link) } else { answer::ok(&link) }
    }
}
