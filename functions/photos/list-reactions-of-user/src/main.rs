//! `GET /users/{username}/reactions?type=`: returns a page of the photos to which a user gave
//! reactions of one type, newest reaction first.
//!
//! One `Query` on the global secondary index `ReactionsByTime` reads the reactions, and one
//! `BatchGetItem` reads the photos. The function does not read the user, so the list of an unknown
//! user is empty.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, batch, entity};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, required_query};
use shared::photos::{Key, REACTIONS_BY_TIME, photo_from_item, photo_of_sk, photo_sk};
use shared::pictures::{ShownPhoto, Signer};
use shared::values::{ReactionType, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["type", "limit", "cursor"], |table, request| {
        list_reactions_of_user(table, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReactedPhotos {
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

/// The position of a reaction in the list, for cursors.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReactionPosition {
    reaction_time: Timestamp,
    photo_owner: Username,
    photo_timestamp: Timestamp,
}

async fn list_reactions_of_user(
    table: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<ReactedPhotos>, Error> {
    let username: Username = path(&request, "username")?;
    let reaction_type: ReactionType = required_query(&request, "type")?;
    let caller = Caller::from_request(&request)?;
    let page: Page<ReactionPosition> =
        Page::from_request(&request, "reactions-of-user", format_args!("{username} {reaction_type}"))?;

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
        .set_exclusive_start_key(page.after.as_ref().map(|last| last.start_key(&username, reaction_type)))
        .limit(page.limit)
        .send()
        .await?;
    let entries = output.items.unwrap_or_default();
    let mut reactions: Vec<ReactionPosition> =
        entries.into_iter().map(ReactionPosition::from_entry).collect::<Result<_, _>>()?;

    let keys =
        reactions.iter().map(|reaction| Key::photo(&reaction.photo_owner, &reaction.photo_timestamp).into()).collect();
    let mut found: HashMap<String, ShownPhoto> = HashMap::new();
    for item in batch::get(&table, keys, false).await? {
        let photo = photo_from_item(item)?.map(|photo| signer.show(photo, &caller.username)).transpose()?.flatten();
        if let Some(photo) = photo {
            found.insert(photo_sk(&photo.username, &photo.timestamp), photo);
        }
    }

    // `BatchGetItem` returns the photos in any order, without those that have been deleted.
    // finish-deletion deletes the reactions to a deleted photo a little later.
    let photos = reactions
        .iter()
        .filter_map(|reaction| found.remove(&photo_sk(&reaction.photo_owner, &reaction.photo_timestamp)))
        .collect();
    let next_cursor = page.next_cursor(output.last_evaluated_key, reactions.pop())?;
    answer::ok(&ReactedPhotos { photos, next_cursor })
}

impl ReactionPosition {
    /// Returns the position of an entry of the index.
    fn from_entry(entry: Item) -> Result<Self, Error> {
        /// The part of the entry that tells its position.
        #[derive(Deserialize)]
        struct Entry {
            #[serde(rename = "SK")]
            sk: String,
            timestamp: Timestamp,
        }

        let Entry { sk, timestamp } = entity::from_item(entry)?;
        let (photo_owner, photo_timestamp) = photo_of_sk(&sk)?;
        Ok(Self { reaction_time: timestamp, photo_owner, photo_timestamp })
    }

    /// Returns the `ExclusiveStartKey` that continues the list of a user and a type after this
    /// position.
    fn start_key(&self, reacting_user: &Username, reaction_type: ReactionType) -> Item {
        let key = Key::reaction(reacting_user, reaction_type, &self.photo_owner, &self.photo_timestamp);
        let mut start_key = Item::from(key);
        start_key.insert("reactingUser".to_owned(), S(reacting_user.to_string()));
        start_key.insert("reactionType".to_owned(), S(reaction_type.to_string()));
        start_key.insert("timestamp".to_owned(), S(self.reaction_time.to_string()));
        start_key
    }
}
