//! `GET /users/{username}/following/profiles`: the profiles of those whom a user follows, by one `Query` on the
//! inverted index for who they are, and one `BatchGetItem` for their items.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::KeysAndAttributes;
use serde::{Deserialize, Serialize};
use shared::page::Page;
use shared::photos::{INVERTED_INDEX, Item, Key, Profile, User, friend_sk};
use shared::request::{Caller, path};
use shared::values::Username;
use shared::{Error, Request, Response, Table, answer};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(find_and_enrich_following).await
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Profiles {
    following: Vec<Profile>,
    next_cursor: Option<String>,
}

/// A friendship, seen from the one who follows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Followed {
    followed_user: Username,
}

async fn find_and_enrich_following(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::of(&request)?;
    let page: Page<Username> = Page::of(&request, "profiles", &username)?;

    // At most 100 to a page, which is also the most that BatchGetItem takes.
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
    let followed: Vec<Followed> = serde_dynamo::from_items(output.items.unwrap_or_default())?;
    let last = followed.last().map(|friendship| friendship.followed_user.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;

    let keys = followed
        .iter()
        .map(|friendship| Key::user(&friendship.followed_user).into())
        .collect();
    let mut users: HashMap<Username, User> = batch_get(&table, keys)
        .await?
        .into_iter()
        .map(|item| serde_dynamo::from_item(item).map(|user: User| (user.username.clone(), user)))
        .collect::<Result<_, _>>()?;

    // BatchGetItem answers in any order, and leaves out who is not there any more.
    let following = followed
        .iter()
        .filter_map(|friendship| users.remove(&friendship.followed_user))
        .map(|user| user.seen_by(&caller.username))
        .collect();
    answer::ok(&Profiles { following, next_cursor })
}

/// One request, unless `DynamoDB` leaves some keys unprocessed: those are asked for again.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html>
async fn batch_get(table: &Table, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
    let mut found = vec![];
    let mut keys = Some(keys).filter(|keys| !keys.is_empty());
    let mut pause = Duration::from_millis(25);
    while let Some(asked) = keys {
        let wanted = KeysAndAttributes::builder().set_keys(Some(asked)).build()?;
        let output = table
            .client
            .batch_get_item()
            .request_items(&table.name, wanted)
            .send()
            .await?;
        found.extend(output.responses.into_iter().flatten().flat_map(|(_, items)| items));
        keys = output
            .unprocessed_keys
            .and_then(|mut tables| tables.remove(&table.name))
            .map(|left| left.keys);
        if keys.is_some() {
            if pause > Duration::from_secs(1) {
                return Err(Error::Busy("BatchGetItem keeps leaving keys unprocessed".into()));
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }
    Ok(found)
}
