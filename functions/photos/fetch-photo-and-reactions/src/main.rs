//! `GET /users/{username}/photos/{timestamp}`: returns a photo and a page of the reactions to it.
//!
//! One `Query` on the inverted index reads both: the photo's sort key is the partition key of the
//! photo and of its reactions there.
//!
//! If the photo is one of the caller whose picture is pending, a `GetItem` reads it from the table,
//! because the index does not tell whether it has expired.
//!
//! With `include=people` or `viewer`, one `BatchGetItem` reads the profiles of the people in the
//! answer, and the caller's engagement with the photo, from `<stage>.Feed`.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::dynamodb::{batch, entity};
use shared::feed;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{INVERTED_INDEX, Key, PK, People, Picture, ReactionToPhoto, photo_from_item, photo_sk, user_pk};
use shared::pictures::{ShownPhoto, Signer, add_engagements};
use shared::values::{PhotoParts, ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The maximum number of reactions on a page with people. One `BatchGetItem` has room for 100 keys:
/// the people who reacted, the owner, and the caller's engagement.
const MAX_PEOPLE: i32 = 98;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["include", "limit", "cursor"], |table: Table, request| {
        let feed = table.other(&feed);
        fetch_photo_and_reactions(table, feed, request, &signer)
    })
    .await
}

/// The body of the answer. Only the first page contains the photo.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhotoAndReactions {
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<ShownPhoto>,
    reactions: Vec<ReactionToPhoto>,
    /// The people in the answer by username, without those who have been deleted. Only with
    /// `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<People>,
    next_cursor: Option<String>,
}

async fn fetch_photo_and_reactions(
    table: Table,
    feed: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<PhotoAndReactions>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::from_request(&request)?;
    let include = query::<PhotoParts>(&request, "include")?.unwrap_or_default();
    let mut page: Page<(Username, ReactionType)> =
        Page::from_request(&request, "reactions", format_args!("{username}/{timestamp}"))?;
    let is_first_page = page.after.is_none();
    if include.people {
        page.limit = page.limit.min(MAX_PEOPLE);
    }

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :photo")
        .expression_attribute_values(":photo", S(photo_sk(&username, &timestamp)))
        // In descending order the photo comes first, because `USER#` sorts after `REACTION#`.
        .scan_index_forward(false)
        .set_exclusive_start_key(
            page.after
                .as_ref()
                .map(|(reacting, reaction)| Key::reaction(reacting, *reaction, &username, &timestamp).into()),
        )
        .limit(page.limit + i32::from(is_first_page))
        .send()
        .await?;

    let mut items = output.items.unwrap_or_default();
    let mut photo = if is_first_page {
        let is_photo = items.first().is_some_and(|item| item.get(PK) == Some(&S(user_pk(&username))));
        let first = is_photo.then(|| items.remove(0));
        let photo = match first.map(photo_from_item).transpose()?.flatten() {
            Some(photo) if photo.picture == Some(Picture::Pending) && photo.username == caller.username => {
                let key = Key::photo(&username, &timestamp);
                let get = table.client.get_item().table_name(&table.name).set_key(Some(key.into()));
                get.send().await?.item.map(photo_from_item).transpose()?.flatten()
            }
            photo => photo,
        };
        let shown = photo.map(|photo| signer.show(photo, &caller.username)).transpose()?.flatten();
        Some(shown.ok_or_else(|| Error::no_photo(&username, &timestamp))?)
    } else {
        None
    };
    let reactions: Vec<ReactionToPhoto> = entity::from_items(items)?;

    let people: BTreeSet<&Username> = photo
        .iter()
        .map(|photo: &ShownPhoto| &photo.username)
        .chain(reactions.iter().map(|reaction| &reaction.reacting_user))
        .filter(|_| include.people)
        .collect();
    let people = people.into_iter().map(|person| Key::user(person).into()).collect();
    let engagement = photo.iter().filter(|_| include.viewer);
    let engagement =
        engagement.map(|_| feed::Key::engagement(&caller.username, &username, &timestamp).into()).collect();
    let [people, engagement] = batch::get_from_tables([(&table, people), (&feed, engagement)], false).await?;
    let people = include.people.then(|| signer.cards(&people)).transpose()?;
    if include.viewer {
        add_engagements(photo.as_mut_slice(), engagement)?;
    }

    let last = reactions.last().map(|last| (last.reacting_user.clone(), last.reaction_type));
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::seen_by(&caller.username, &username, &PhotoAndReactions { photo, reactions, people, next_cursor })
}
