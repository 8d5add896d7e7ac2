//! `GET /users/{username}/following`: returns a page of the users whom a user follows.
//!
//! One `Query` on the inverted index reads the friendships. It does not read the user, so the list
//! of an unknown user is empty. At the same time, a `GetItem` reads whether the user blocks the
//! caller, for whom the list is empty then too.
//!
//! With `include`, one `BatchGetItem` reads the profiles of the users of the page, or the
//! friendships between them and the caller, or both, and in place of the `GetItem` the block. The
//! page then has at most as many users as one such request has room for. If some of these profiles
//! say that there are blocks, another one reads those between them and the caller, who does not get
//! the cards of people who block them or whom they block.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{batch, entity};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::photos::{INVERTED_INDEX, Key, People, Relation, Relations, friend_sk, is_blocked};
use shared::pictures::Signer;
use shared::values::{PageParts, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["include", "limit", "cursor"], |table, request| find_following(table, request, &signer))
        .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FollowedUsers {
    following: Vec<Entry>,
    /// The users of the page by username, without those who have been deleted, and without those
    /// who block the caller or whom the caller blocks. Only with `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<People>,
    next_cursor: Option<String>,
}

/// A friendship, as the follower sees it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    followed_user: Username,
    timestamp: Timestamp,
    /// The relation of the caller and the followed user. Only with `include=viewer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    viewer: Option<Relation>,
}

async fn find_following(table: Table, request: Request, signer: &Signer) -> Result<Response<FollowedUsers>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let include = query::<PageParts>(&request, "include")?.unwrap_or_default();
    let mut page: Page<Username> = Page::from_request(&request, "following", &username)?;
    page.limit = page.limit.min(include.max_people(1));

    let has_parts = include.people || include.viewer;
    let is_blocked =
        async { if has_parts { Ok(false) } else { is_blocked(&table, &username, &caller.username).await } };
    let query = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&username)))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(last, &username).into()))
        .limit(page.limit)
        .send();
    let (output, is_blocked) = tokio::try_join!(async { Ok(query.await?) }, is_blocked)?;
    let mut following: Vec<Entry> = entity::from_items(output.items.unwrap_or_default())?;
    let names = following.iter().map(|friendship| &friendship.followed_user);
    let keys = include.keys_of_list(&username, &caller.username, names);
    let found = batch::get(&table, keys, false).await?;
    let mut relations = Relations::new(&caller.username);
    relations.add(&found)?;
    if is_blocked || relations.is_blocked_by(&username) {
        let people = include.people.then(People::new);
        return answer::ok(&FollowedUsers { following: vec![], people, next_cursor: None });
    }
    relations.read_blocks_of(&table, &found).await?;
    let people = include.people.then(|| signer.cards_seen_by(&relations, &found)).transpose()?;
    if include.viewer {
        for friendship in &mut following {
            friendship.viewer = Some(relations.between(&friendship.followed_user));
        }
    }
    let last = following.last().map(|friendship| friendship.followed_user.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::ok(&FollowedUsers { following, people, next_cursor })
}
