//! `GET /users/{username}/blocks`: returns a page of the users whom the caller blocks or mutes, by
//! their names.
//!
//! One `Query` reads the blocks, which sort before the followers. With `include=people`, one
//! `BatchGetItem` reads the profiles of the users, and another one whether those of them block the
//! caller whose profiles say that they block anybody.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{batch, entity};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{BLOCK_PREFIX, Key, People, Relations, user_pk};
use shared::pictures::Signer;
use shared::values::{Level, PeopleParts, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["include", "limit", "cursor"], |table, request| list_blocks(table, request, &signer)).await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnBlocks {
    blocks: Vec<OwnBlock>,
    /// The users by username, without those who have been deleted or who block the caller. Only
    /// with `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<People>,
    next_cursor: Option<String>,
}

/// A block or a mute, as the caller sees it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OwnBlock {
    blocked_user: Username,
    level: Level,
    timestamp: Timestamp,
}

async fn list_blocks(table: Table, request: Request, signer: &Signer) -> Result<Response<OwnBlocks>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let include = query::<PeopleParts>(&request, "include")?.unwrap_or_default();
    let page: Page<Username> = Page::from_request(&request, "blocks", &username)?;

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("PK = :user AND begins_with(SK, :blocks)")
        .expression_attribute_values(":user", S(user_pk(&username)))
        .expression_attribute_values(":blocks", S(BLOCK_PREFIX.to_owned()))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::block(&username, last).into()))
        .limit(page.limit)
        .send()
        .await?;
    let blocks: Vec<OwnBlock> = entity::from_items(output.items.unwrap_or_default())?;

    let mut relations = Relations::new(&username);
    let people = if include.people {
        // A page has at most 100 blocks, which is also the maximum of keys in one `BatchGetItem`.
        let keys = blocks.iter().map(|block| Key::user(&block.blocked_user).into()).collect();
        let users = batch::get(&table, keys, false).await?;
        let mut people = signer.cards(&users)?;
        let found = people.keys().filter_map(|user| Some((user, batch::find(&users, Key::user(user))?)));
        let deciding: Vec<Key> = found.flat_map(|(user, item)| relations.deciding(user, item, &[])).collect();
        relations.read(&table, deciding).await?;
        people.retain(|user, _| !relations.is_blocked_by(user));
        Some(people)
    } else {
        None
    };
    let last = blocks.last().map(|block| block.blocked_user.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::private(&OwnBlocks { blocks, people, next_cursor })
}
