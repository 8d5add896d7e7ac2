//! `GET /local/users`: users to sign in as, those of the sample data first.

use std::sync::Arc;

use anyhow::Context as _;
use axum::extract::State;
use axum::response::Response;
use dynoxide::{AttributeValue, Database, DynoxideError, Item};
use serde_json::{Value, json};
use shared::photos::{PK, SK, metadata_sk, user_pk};
use shared::values::Username;

use super::answer::{Refusal, answer};
use super::context::Page;
use crate::sample;

/// The maximum number of users in an answer.
const MAX_USERS: usize = 50;

/// The maximum number of pages of the table that are searched for users. A page has 1 MB.
const MAX_PAGES: usize = 5;

pub(super) async fn list(State(page): State<Arc<Page>>) -> Response {
    answer(move || {
        let table = &page.template.table(sample::QUICK_PHOTOS)?.name;
        users(page.database()?, table)
    })
    .await
}

fn users(database: &Database, table: &str) -> Result<Value, Refusal> {
    let describe = serde_json::from_value(json!({"TableName": table}))?;
    if let Err(DynoxideError::ResourceNotFoundException(_)) = database.describe_table(describe) {
        return Ok(json!({"users": []}));
    }
    let mut users: Vec<(String, String)> = vec![];
    for username in sample::usernames() {
        let get = serde_json::from_value(json!({"TableName": table, "Key": key(&username)}))?;
        let item = database.get_item(get).context("cannot read a user")?.item;
        users.extend(item.as_ref().and_then(user_of));
    }
    let mut start = Value::Null;
    for _ in 0..MAX_PAGES {
        let mut scan = json!({"TableName": table, "FilterExpression": "attribute_exists(followers)"});
        if !start.is_null() {
            scan["ExclusiveStartKey"] = start;
        }
        let page = database.scan(serde_json::from_value(scan)?).context("cannot read the users")?;
        for user in page.items.iter().flatten().filter_map(user_of) {
            if !users.contains(&user) {
                users.push(user);
            }
        }
        let Some(last) = page.last_evaluated_key.filter(|_| users.len() < MAX_USERS) else { break };
        start = serde_json::to_value(last)?;
    }
    users.truncate(MAX_USERS);
    let users: Vec<_> = users.into_iter().map(|(username, name)| json!({"username": username, "name": name})).collect();
    Ok(json!({"users": users}))
}

/// Returns the key of a user.
fn key(username: &Username) -> Value {
    json!({PK: {"S": user_pk(username)}, SK: {"S": metadata_sk(username)}})
}

/// Returns the username and the name in the item of a user. Only items of users have `followers`.
fn user_of(item: &Item) -> Option<(String, String)> {
    let text = |name: &str| match item.get(name) {
        Some(AttributeValue::S(text)) => Some(text.clone()),
        _ => None,
    };
    item.contains_key("followers").then(|| Some((text("username")?, text("name")?))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::tests::database;

    #[test]
    fn users_of_the_sample_data_come_first() {
        let database = database();
        let put = |username: &str| {
            let mut item = key(&username.parse().unwrap());
            item["followers"] = json!({"N": "0"});
            item["username"] = json!({"S": username});
            item["name"] = json!({"S": "Someone"});
            let put = json!({"TableName": "quick-photos", "Item": item});
            database.put_item(serde_json::from_value(put).unwrap()).unwrap();
        };
        let delete = json!({"TableName": "quick-photos", "Key": key(&"ben".parse().unwrap())});
        database.delete_item(serde_json::from_value(delete).unwrap()).unwrap();
        let names = || -> Vec<String> {
            let answer = users(&database, "quick-photos").ok().unwrap();
            let users = answer["users"].as_array().unwrap();
            assert_eq!(users[0], json!({"username": "ada", "name": "Ada Marsh"}));
            users.iter().map(|user| user["username"].as_str().unwrap().to_owned()).collect()
        };

        put("aaron");
        let of_sample = sample::usernames().into_iter().map(|username| username.to_string());
        let expected = of_sample.filter(|name| name != "ben").chain(["aaron".to_owned()]);
        assert_eq!(names(), expected.collect::<Vec<_>>());
        (0..60).for_each(|n| put(&format!("a{n:02}")));
        assert_eq!(names().len(), MAX_USERS);
    }
}
