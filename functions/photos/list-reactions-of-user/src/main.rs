//! `GET /users/{username}/reactions?type=`: returns a page of the photos that a user reacted to in one way, newest reaction
//! first.
//!
//! One `Query` on the index of reactions by time reads the reactions, and one `BatchGetItem` reads the photos. It does not
//! read the user, so the list of an unknown user is empty.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, batch};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, required_query};
use shared::model::entity;
use shared::model::photos::{Key, Photo, REACTIONS_BY_TIME, ReactionToPhoto, photo_of_sk, photo_sk};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(list_reactions_of_user).await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReactedPhotos {
    photos: Vec<Photo>,
    next_cursor: Option<String>,
}

/// A reaction in the list: its time, and the owner and the timestamp of the photo.
#[derive(Serialize, Deserialize)]
struct Position {
    reacted: Timestamp,
    owner: Username,
    photo: Timestamp,
}

async fn list_reactions_of_user(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let reaction_type: ReactionType = required_query(&request, "type")?;
    Caller::of(&request)?;
    let page: Page<Position> = Page::of(&request, "reactions-of-user", format_args!("{username} {reaction_type}"))?;

    // A page has at most 100 entries, which is also the maximum of keys in one `BatchGetItem`.
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(REACTIONS_BY_TIME)
        .key_condition_expression("reactingUser = :user AND reactionType = :type")
        .expression_attribute_values(":user", S(username.to_string()))
        .expression_attribute_values(":type", S(reaction_type.to_string()))
        .scan_index_forward(false)
        .set_exclusive_start_key(
            page.after.as_ref().map(|last| last.index_entry(&username, reaction_type)).transpose()?,
        )
        .limit(page.limit)
        .send()
        .await?;
    let entries = output.items.unwrap_or_default();
    let mut reactions: Vec<Position> = entries.into_iter().map(Position::of).collect::<Result<_, _>>()?;

    let keys = reactions.iter().map(|reaction| Key::photo(&reaction.owner, &reaction.photo).into()).collect();
    let found: Vec<Photo> = entity::from_items(batch::get(&table, keys, false).await?)?;
    let mut found: HashMap<String, Photo> =
        found.into_iter().map(|photo| (photo_sk(&photo.username, &photo.timestamp), photo)).collect();

    // `BatchGetItem` returns the photos in any order, without those that have been deleted. finish-deletion deletes the
    // reactions to a deleted photo a little later.
    let photos =
        reactions.iter().filter_map(|reaction| found.remove(&photo_sk(&reaction.owner, &reaction.photo))).collect();
    let next_cursor = page.next_cursor(output.last_evaluated_key, reactions.pop())?;
    answer::ok(&ReactedPhotos { photos, next_cursor })
}

impl Position {
    /// Returns the position of an entry of the index.
    fn of(entry: Item) -> Result<Self, Error> {
        /// The part of the entry that tells its position.
        #[derive(Deserialize)]
        struct Entry {
            #[serde(rename = "SK")]
            sk: String,
            timestamp: Timestamp,
        }

        let Entry { sk, timestamp } = entity::from_item(entry)?;
        let (owner, photo) = photo_of_sk(&sk)?;
        Ok(Self { reacted: timestamp, owner, photo })
    }

    /// Returns the entry of the index that is at this position among the reactions of one type by a user.
    fn index_entry(&self, reacting_user: &Username, reaction_type: ReactionType) -> Result<Item, Error> {
        let key = Key::reaction(reacting_user, reaction_type, &self.owner, &self.photo);
        let (reacting_user, timestamp) = (reacting_user.clone(), self.reacted.clone());
        entity::to_item(key, &ReactionToPhoto { reacting_user, reaction_type, timestamp })
    }
}
