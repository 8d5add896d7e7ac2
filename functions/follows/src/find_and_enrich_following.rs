//! `GET /users/{username}/following/profiles`: returns a page of the profiles of the users whom a
//! user follows.
//!
//! One `Query` on the inverted index reads the friendships, and one `BatchGetItem` reads the
//! followed users, and whether the user blocks the caller, for whom the list is empty then. If some
//! of the followed users say that there are blocks, another one reads those between them and the
//! caller: the list leaves out people who block the caller or whom the caller blocks. A page ends
//! early if its JSON would be too large for the response of a function.
//!
//! With `include=viewer`, the `BatchGetItem` also reads the friendships between the followed users
//! and the caller. The page then has at most as many users as one such request has room for.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{batch, entity};
use shared::http::answer;
use shared::http::page::{Page, within_budget};
use shared::http::request::{Caller, path, query};
use shared::photos;
use shared::photos::{INVERTED_INDEX, Key, Profile, Relations, User, friend_sk};
use shared::pictures::Signer;
use shared::values::{PageParts, Username, ViewerParts};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["include", "limit", "cursor"], |table, request| {
        find_and_enrich_following(table, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profiles {
    following: Vec<Profile>,
    next_cursor: Option<String>,
}

/// A friendship, as the follower sees it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Followed {
    followed_user: Username,
}

async fn find_and_enrich_following(
    table: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<Profiles>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let include = query::<ViewerParts>(&request, "include")?.unwrap_or_default();
    let parts = PageParts { people: true, viewer: include.viewer };
    let mut page: Page<Username> = Page::from_request(&request, "profiles", &username)?;
    page.limit = page.limit.min(parts.max_people(1));

    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(&username)))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(last, &username).into()))
        .limit(page.limit)
        .send()
        .await?;
    let followed: Vec<Followed> = entity::from_items(output.items.unwrap_or_default())?;

    let names = followed.iter().map(|friendship| &friendship.followed_user);
    let keys = parts.keys_of_list(&username, &caller.username, names);
    let found = batch::get(&table, keys, false).await?;
    let mut relations = Relations::new(&caller.username);
    relations.add(&found)?;
    if relations.is_blocked_by(&username) {
        return answer::ok(&Profiles { following: vec![], next_cursor: None });
    }
    relations.read_blocks_of(&table, &found).await?;
    let found: Vec<Option<User>> = found.into_iter().map(photos::user_from_item).collect::<Result<_, _>>()?;
    let mut users: HashMap<Username, User> =
        found.into_iter().flatten().map(|user| (user.username.clone(), user)).collect();

    // `BatchGetItem` returns the users in any order, without those who have been deleted.
    let names = followed.iter().map(|friendship| &friendship.followed_user).filter(|user| !relations.hides(user));
    let users: Vec<User> = names.filter_map(|name| users.remove(name)).collect();
    let names: Vec<Username> = users.iter().map(|user| user.username.clone()).collect();
    let following = within_budget(users.into_iter().map(|user| {
        let relation = include.viewer.then(|| relations.between(&user.username));
        let mut profile = signer.profile(user, &caller.username, &caller.subject);
        profile.viewer = relation;
        Ok(profile)
    }))?;

    let next_cursor = if following.len() < names.len() {
        page.cursor(names[..following.len()].last().cloned())?
    } else {
        let last = followed.last().map(|friendship| friendship.followed_user.clone());
        page.next_cursor(output.last_evaluated_key, last)?
    };
    // Some old friendships are of a user with themself, whose profile has private fields here.
    if names.contains(&caller.username) {
        return answer::private(&Profiles { following, next_cursor });
    }
    answer::ok(&Profiles { following, next_cursor })
}
