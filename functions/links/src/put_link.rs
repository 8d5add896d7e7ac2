//! Puts the link of a photo ([`own_link`] has the requests).

use shared::http::answer;
use shared::http::extract::{Body, Owner, Path};
use shared::values::PhotoId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::own_link::{self, Address, OwnLink, Settings};

#[cfg(test)]
mod tests;

/// The route.
pub struct PutLink {
    table: Table,
    address: Address,
}

impl Route for PutLink {
    const NAME: &'static str = "put-link";
    const ROUTE: &'static str = "PUT /users/{username}/photos/{photo}/link";
    const SUMMARY: &'static str = "Makes a link that shows a photo of the caller to anyone who has it, without an account, whatever the \
         audience of the photo is. A photo has one link, which keeps its address until `renew` has the token in it.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED_AT];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoPhoto, ErrorKind::NoProfile, ErrorKind::OtherAccount, ErrorKind::TooManyLinks];

    type Input = (Owner, Path<PhotoId>, Body<Settings>);
    type Body = OwnLink;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, address: Address::from_process(process)? })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(photo), Body(settings)): Self::Input,
    ) -> Result<Response<OwnLink>, Error> {
        let (link, is_new) = own_link::put(&self.table, &caller, Some(&photo), &settings).await?;
        let link = self.address.show(link);
        if is_new {
            answer::created_at(&format!("/users/{}/photos/{photo}/link", caller.username), &link)
        } else {
            answer::ok(&link)
        }
    }
}
