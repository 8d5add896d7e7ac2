//! [`SharedThing`] has the two requests. For a profile, one `Query` also reads its newest photos, and others
//! older ones, [up to 5 times in total](PhotoPage::MAX_ROUNDS), if too few of them are for everyone. For a photo that
//! was made with several pictures, one consistent `GetItem` reads them.
//!
//! A browser gets a page of HTML without scripts, also if the link has ended. The picture of a sensitive
//! photo is behind a link to `?show=sensitive`. CloudFront keeps the
//! answer for a minute.

use aws_sdk_dynamodb::types::AttributeValue::S;
use lambda_http::http::header::VARY;
use shared::entities::{Photo, get_pictures, photo_sk_prefix, photos_of_page, user_pk};
use shared::http::answer;
use shared::http::extract::OptionalQuery;
use shared::http::visitor::{Nobody, Token, Wants};
use shared::show::{PhotoPage, Signer};
use shared::values::{Show, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use self::opened::OpenedLink;
use self::page::Pages;
use crate::own_link::Address;
use crate::shared_thing::SharedThing;

mod opened;
pub mod page;
#[cfg(test)]
mod tests;

/// The maximum number of photos that the link of a profile shows.
const MAX_PHOTOS: usize = 12;
/// The number of photos among which the first `Query` looks for those that everyone may see.
const PHOTOS_READ: i32 = 50;

/// The route.
pub struct OpenLink {
    table: Table,
    address: Address,
    signer: Signer,
    pages: Pages,
}

impl Route for OpenLink {
    const NAME: &'static str = "open-link";
    const ROUTE: &'static str = "GET /s/{token}";
    const SUMMARY: &'static str = "Shows the photo or the profile that a link opens: as a page, or as JSON if the header `Accept` asks for \
         `application/json`.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoLink];

    type Input = (Nobody, Token, Wants, OptionalQuery<Show>);
    type Body = OpenedLink;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            address: Address::from_process(process)?,
            signer: Signer::from_process(process)?,
            pages: Pages::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Nobody, Token(token), wants, OptionalQuery(show)): Self::Input,
    ) -> Result<Response<OpenedLink>, Error> {
        let Self { table, address, signer, pages } = self;
        let shared = match SharedThing::read(table, token.as_ref()).await {
            Err(Error::Refused { .. }) if wants == Wants::Page => return pages.ended(),
            shared => shared?,
        };
        let (pictures, photos) = match &shared.photo {
            Some(Photo { username, id, pictures: Some(_), .. }) => (get_pictures(table, username, id).await?, vec![]),
            Some(_) => (None, vec![]),
            None => (None, newest_photos(table, &shared.target.owner).await?),
        };
        let url = token.as_ref().map(|token| address.of(token)).unwrap_or_default();
        let (title, indexed) = (shared.title(), shared.target.indexed && show.is_none());
        let link = OpenedLink::new(shared, pictures.as_ref(), photos, url, signer, show);
        let response = match wants {
            Wants::Json => answer::with_header(answer::ok(&link)?, VARY, "accept")?,
            Wants::Page => pages.of(&link, &title, token.as_ref(), indexed, address)?,
        };
        Ok(answer::shared(response))
    }
}

/// Returns the newest photos of a user that everyone may see.
async fn newest_photos(table: &Table, owner: &Username) -> Result<Vec<Photo>, Error> {
    let (mut photos, mut last) = (vec![], None);
    for round in 1..=PhotoPage::MAX_ROUNDS {
        let output = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :photos)")
            .expression_attribute_values(":user", S(user_pk(owner)))
            .expression_attribute_values(":photos", S(photo_sk_prefix(owner)))
            .scan_index_forward(false)
            .set_exclusive_start_key(last)
            .limit(if round == 1 { PHOTOS_READ } else { PhotoPage::PHOTOS_OF_ROUND })
            .send()
            .await?;
        let (found, _) = photos_of_page(output.items.unwrap_or_default())?;
        photos.extend(found.into_iter().filter(Photo::is_public));
        last = output.last_evaluated_key;
        if photos.len() >= MAX_PHOTOS || last.is_none() {
            break;
        }
    }
    photos.truncate(MAX_PHOTOS);
    Ok(photos)
}
