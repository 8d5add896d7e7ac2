//! One `Query` reads the links, those of the newest photos first and that of the profile last. One
//! `BatchGetItem` reads the photos. Links that have ended by their time are left out, so a page may
//! be shorter than `limit`.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{batch, entity};
use shared::entities::{Key, Link, SHARE_PREFIX, photo_from_item, user_pk};
use shared::http::answer;
use shared::http::extract::Owner;
use shared::http::page::{Page, PageParameters};
use shared::show::{ShownPhoto, Signer};
use shared::values::PhotoId;
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::own_link::{Address, OwnLink};

#[cfg(test)]
mod tests;

/// A page of the caller's links.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OwnLinks {
    /// The links, those of the newest photos first and that of the profile last.
    links: Vec<ListedLink>,
    next_cursor: Option<String>,
}

/// A link with the photo that it shows.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedLink {
    #[serde(flatten)]
    link: OwnLink,
    /// The photo, as its owner sees it. Left out for the link of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_photo: Option<ShownPhoto>,
}

/// The end of a page: the photo of the last link, or none for the profile.
#[derive(Serialize, Deserialize)]
pub struct Position {
    photo: Option<PhotoId>,
}

/// The route.
pub struct ListLinks {
    table: Table,
    address: Address,
    signer: Signer,
}

impl Route for ListLinks {
    const NAME: &'static str = "list-links";
    const ROUTE: &'static str = "GET /users/{username}/links";
    const SUMMARY: &'static str = "Returns a page of the caller's links, those of the newest photos first.";

    type Input = (Owner, PageParameters);
    type Body = OwnLinks;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            address: Address::from_process(process)?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), page): Self::Input) -> Result<Response<OwnLinks>, Error> {
        let Self { table, address, signer } = self;
        let username = &caller.username;
        let page: Page<Position> = page.of("links", username)?;

        let output = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND begins_with(SK, :links)")
            .expression_attribute_values(":user", S(user_pk(username)))
            .expression_attribute_values(":links", S(SHARE_PREFIX.to_owned()))
            .scan_index_forward(false)
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::link(username, last.photo.as_ref()).into()))
            .limit(page.limit)
            .send()
            .await?;
        let mut links: Vec<Link> = entity::from_items(output.items.unwrap_or_default())?;
        let last = links.last().map(|last| Position { photo: last.photo.clone() });
        links.retain(|link| !link.is_over());

        let keys = links.iter().filter_map(|link| Some(Key::photo(username, link.photo.as_ref()?))).collect();
        let mut found = batch::get(table, keys, false).await?;
        let show = |link: Link| {
            let photo = link.photo.as_ref().and_then(|id| batch::take(&mut found, Key::photo(username, id)));
            let photo = photo.map(photo_from_item).transpose()?.flatten().filter(|photo| !photo.has_expired());
            let shared_photo = photo.map(|photo| signer.show_to_owner(photo));
            Ok(ListedLink { link: address.show(link), shared_photo })
        };
        let links = links.into_iter().map(show).collect::<Result<_, Error>>()?;
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::private(&OwnLinks { links, next_cursor })
    }
}
