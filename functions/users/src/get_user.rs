//! `GET /users/{username}`: returns a user.
//!
//! One `GetItem` reads the user. With `include=viewer`, one `BatchGetItem` reads the user, and the
//! friendships between the user and the caller in both directions.
//!
//! If the user blocks anybody, a `BatchGetItem` reads whether they block the caller, for whom there
//! is no such user then. With `include=viewer`, it also reads the caller's block if anybody blocks
//! the user, and the caller's request if the user approves followers and the caller does not follow
//! them.

use shared::dynamodb::{Item, batch};
use shared::http::answer;
use shared::http::precondition::take_tag;
use shared::http::request::{Caller, path, query};
use shared::photos::{Key, Profile, Relations, existing_user, is_friendship};
use shared::pictures::Signer;
use shared::values::{Username, ViewerParts};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    shared::run_with_query(&["include"], |table, request| get_user(table, request, &signer)).await
}

async fn get_user(table: Table, request: Request, signer: &Signer) -> Result<Response<Profile>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    let include = query::<ViewerParts>(&request, "include")?.unwrap_or_default();

    let mut relations = Relations::new(&caller.username);
    let mut user = if include.viewer {
        let friendships = Relations::friendships(&caller.username, &username);
        let keys = [Key::user(&username)].into_iter().chain(friendships).map(Item::from).collect();
        let mut items = batch::get(&table, keys, false).await?;
        relations.add(&items)?;
        items.drain(..).find(|item| !is_friendship(item))
    } else {
        let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&username).into()));
        get.send().await?.item
    };
    if let Some(user) = &user {
        let mut keys = relations.deciding(&username, user, &[]);
        if include.viewer {
            keys.extend(relations.block_and_request(&username, user));
        }
        relations.read(&table, keys).await?;
    }
    if relations.is_blocked_by(&username) {
        return Err(Error::no_user(&username));
    }

    let tag = user.as_mut().map(take_tag).unwrap_or_default();
    let mut profile = signer.profile(existing_user(user, &username)?, &caller.username, &caller.subject);
    profile.viewer = include.viewer.then(|| relations.between(&username));
    let answer = answer::seen_by(&caller.username, &username, &profile)?;
    // Only the owner can make a write conditional on the tag.
    if caller.username == username { answer::tagged_with_hash(answer, &tag) } else { Ok(answer) }
}
