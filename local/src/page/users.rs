//! `GET /local/users`: users to sign in as. Those who follow and post most come first, because
//! their feeds and profiles show most.

use std::cmp::Reverse;
use std::sync::Arc;

use anyhow::Context as _;
use axum::extract::State;
use axum::response::Response;
use dynoxide::{Database, DynoxideError, Item};
use serde_json::{Value, json};
use shared::entities::{User, user_from_item};
use shared::show::Signer;

use super::answer::{Refusal, answer};
use super::context::Page;
use crate::sample;
use crate::services::dynamodb::sdk_item;
use crate::services::s3::edge;

/// The maximum number of users in an answer.
const MAX_USERS: usize = 50;

/// The maximum number of pages of the table that are searched for users. A page has 1 MB.
const MAX_PAGES: usize = 5;

pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || {
        let table = &page.template.table(sample::QUICK_PHOTOS)?.name;
        users(&page.database, table, &edge::signer(&page.s3))
    })
    .await
}

fn users(database: &Database, table: &str, signer: &Signer) -> Result<Value, Refusal> {
    let mut users: Vec<User> = vec![];
    let mut scan = json!({"TableName": table, "FilterExpression": "attribute_exists(followers)"});
    for _ in 0..MAX_PAGES {
        let page = match database.scan(serde_json::from_value(scan.clone())?) {
            Err(DynoxideError::ResourceNotFoundException(_)) => break,
            page => page.context("cannot read the users")?,
        };
        users.extend(page.items.into_iter().flatten().filter_map(user_of));
        let Some(last) = page.last_evaluated_key else { break };
        scan["ExclusiveStartKey"] = serde_json::to_value(last)?;
    }
    users.sort_by_key(|user| Reverse(user.following + user.photos.unwrap_or(0)));
    users.truncate(MAX_USERS);
    let shown = users
        .iter()
        .map(|user| json!({"username": user.username, "name": user.name, "picture": signer.picture_of(user)}));
    Ok(json!({"users": shown.collect::<Vec<_>>()}))
}

/// Returns the user in an item. An item that another program wrote otherwise has none.
fn user_of(item: Item) -> Option<User> {
    user_from_item(sdk_item(item).ok()?).ok().flatten()
}

#[cfg(test)]
mod tests {
    use shared::entities::{PK, SK, metadata_sk, user_pk};
    use shared::values::Username;

    use super::*;
    use crate::page::tests::database;

    /// Returns the key of a user.
    fn key(username: &Username) -> Value {
        json!({PK: {"S": user_pk(username)}, SK: {"S": metadata_sk(username)}})
    }

    #[test]
    fn users_who_follow_and_post_most_come_first() {
        let database = database();
        let signer = Signer::new("http://localhost:9000/CloudFront", "key");
        let put = |username: &str, following: u64| {
            let mut item = key(&username.parse().unwrap());
            item["followers"] = json!({"N": "0"});
            item["following"] = json!({"N": following.to_string()});
            item["username"] = json!({"S": username});
            item["name"] = json!({"S": "Someone"});
            let put = json!({"TableName": "quick-photos", "Item": item});
            database.put_item(serde_json::from_value(put).unwrap()).unwrap();
        };
        let delete = json!({"TableName": "quick-photos", "Key": key(&"ben".parse().unwrap())});
        database.delete_item(serde_json::from_value(delete).unwrap()).unwrap();
        let list = || users(&database, "quick-photos", &signer).ok().unwrap()["users"].as_array().unwrap().clone();

        put("aaron", 1000);
        put("zoe", 0);
        let all = list();
        let names: Vec<&str> = all.iter().map(|user| user["username"].as_str().unwrap()).collect();
        assert_eq!((names[0], *names.last().unwrap()), ("aaron", "zoe"));
        assert_eq!(names.len(), sample::usernames().len() + 1);
        assert!(!names.contains(&"ben"), "{names:?}");
        assert_eq!(all[0]["picture"], Value::Null);
        let small = all[1]["picture"]["small"].as_str().unwrap();
        assert!(small.starts_with("http://localhost:9000/CloudFront/photos/") && small.contains("&signature="));
        (0..60).for_each(|n| put(&format!("a{n:02}"), 0));
        assert_eq!(list().len(), MAX_USERS);
    }
}
