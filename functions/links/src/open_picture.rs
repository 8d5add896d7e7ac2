//! [`SharedThing`] has the two requests. The picture of a photo is its largest JPEG, that of a
//! profile is the small one of the pinned photo. A sensitive photo has none without `show=sensitive`, so
//! no preview shows it.
//!
//! Messengers keep the address of the picture for days, while a signed URL is valid for two hours.

use shared::http::answer;
use shared::http::extract::OptionalQuery;
use shared::http::visitor::{Nobody, Token};
use shared::runtime::route::Success;
use shared::show::Signer;
use shared::values::Show;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::own_link::no_link;
use crate::shared_thing::SharedThing;

#[cfg(test)]
mod tests;

/// The route.
pub struct OpenPicture {
    table: Table,
    signer: Signer,
}

impl Route for OpenPicture {
    const NAME: &'static str = "open-picture";
    const ROUTE: &'static str = "GET /s/{token}/picture";
    const SUMMARY: &'static str =
        "Leads to the picture that a link shows. This address stays valid as long as the link does.";
    const SUCCESSES: &'static [Success] = &[Success::FOUND];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoLink];

    type Input = (Nobody, Token, OptionalQuery<Show>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(&self, (Nobody, Token(token), OptionalQuery(show)): Self::Input) -> Result<Response<()>, Error> {
        let shared = SharedThing::read(&self.table, token.as_ref()).await?;
        let url = match shared.photo {
            Some(photo) if photo.sensitive.is_some() && show.is_none() => None,
            Some(photo) => self.signer.show_to_owner(photo).urls.pop().map(|picture| picture.url),
            None => self.signer.picture_of(&shared.owner).map(|picture| picture.small),
        };
        Ok(answer::shared(answer::found(&url.ok_or_else(no_link)?)?))
    }
}
