//! All that the API shows of a file of items agrees with the file. The file is the one that the environment variable
//! `QUICK_PHOTOS_ITEMS` names, or else the sample data.

use std::collections::{BTreeMap, BTreeSet};

use local::stack::{Options, Stack};
use local::template::Template;
use local::{build, sample};
use serde_json::{Value, json};

struct Items(Vec<Value>);

impl Items {
    fn of<'a>(&'a self, pk: &'a str, sk_prefix: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0
            .iter()
            .filter(move |item| item["PK"] == pk && text(item, "SK").starts_with(sk_prefix))
    }
}

fn text<'a>(item: &'a Value, attribute: &str) -> &'a str {
    item[attribute]
        .as_str()
        .unwrap_or_else(|| panic!("no {attribute} in {item}"))
}

/// The attributes that an answer shows of an item.
fn shown(item: &Value, attributes: &[&str]) -> Value {
    attributes
        .iter()
        .filter(|name| !item[**name].is_null())
        .map(|name| ((*name).to_owned(), item[*name].clone()))
        .collect()
}

#[tokio::test]
async fn the_api_agrees_with_the_items() {
    let root = Template::find().unwrap().parent().unwrap().to_owned();
    build::functions(&root).await.unwrap();
    let file = std::env::var_os("QUICK_PHOTOS_ITEMS").map(std::path::PathBuf::from);
    let items = Items(match &file {
        Some(path) => {
            let lines = std::fs::read_to_string(path).unwrap();
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
        None => sample::items()
            .into_iter()
            .map(|item| serde_dynamo::from_item(item).unwrap())
            .collect(),
    });
    let stack = Stack::start(Options {
        items: file,
        ..Options::default()
    })
    .await
    .unwrap();
    let http = reqwest::Client::new();
    let get = async |caller: &str, path: &str| -> Value {
        let url = format!("{}{path}", stack.api());
        let answer = http
            .get(url)
            .bearer_auth(stack.token(caller).unwrap())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    };

    let users: BTreeMap<&str, &Value> = items
        .0
        .iter()
        .filter(|item| text(item, "SK").starts_with("#METADATA#"))
        .map(|user| (text(user, "username"), user))
        .collect();
    assert_eq!(users.len(), 20);
    let mut photos_seen = 0;
    for (username, user) in &users {
        let pk = format!("USER#{username}");
        let mut public = shown(
            user,
            &["username", "name", "status", "interests", "followers", "following"],
        );
        if let Some(pinned) = user["pinnedImage"].as_str() {
            public["pinnedImage"] = json!(pinned.strip_prefix(&format!("PHOTO#{username}#")).unwrap());
        }
        let mut photos: Vec<_> = items
            .of(&pk, "PHOTO#")
            .map(|photo| shown(photo, &["username", "timestamp", "location", "reactions"]))
            .collect();
        photos.sort_by_key(|photo| text(photo, "timestamp").to_owned());
        let stranger = if *username == "ada" { "ben" } else { "ada" };

        let profile = get(stranger, &format!("/users/{username}/profile?limit=100")).await;
        assert_eq!(profile, json!({"user": public, "photos": photos, "nextCursor": null}));
        let own = get(username, &format!("/users/{username}")).await;
        for private in ["email", "birthdate", "address"] {
            assert_eq!(own[private], user[private], "{username}");
        }

        for photo in &photos {
            photos_seen += 1;
            let timestamp = text(photo, "timestamp");
            let sk = format!("PHOTO#{username}#{timestamp}");
            let reactions: Vec<_> = items
                .0
                .iter()
                .filter(|item| item["SK"] == sk.as_str() && text(item, "PK").starts_with("REACTION#"))
                .map(|reaction| shown(reaction, &["reactingUser", "reactionType", "timestamp"]).to_string())
                .collect();
            let answer = get(stranger, &format!("/users/{username}/photos/{timestamp}?limit=100")).await;
            assert_eq!(answer["photo"], *photo);
            let answered: Vec<_> = answer["reactions"]
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string)
                .collect();
            assert_eq!(answered.len(), reactions.len(), "{sk}");
            assert_eq!(
                answered.into_iter().collect::<BTreeSet<_>>(),
                reactions.into_iter().collect(),
                "{sk}"
            );
        }
        photos.reverse();
        let recent = get(stranger, &format!("/users/{username}/photos?limit=100")).await;
        assert_eq!(recent, json!({"photos": photos, "nextCursor": null}));

        let mut followers: Vec<_> = items
            .of(&pk, "#FRIEND#")
            .map(|friend| shown(friend, &["followingUser", "timestamp"]))
            .collect();
        followers.sort_by_key(|friend| std::cmp::Reverse(text(friend, "followingUser").to_owned()));
        let answer = get(stranger, &format!("/users/{username}/followers?limit=100")).await;
        assert_eq!(
            answer,
            json!({"user": public, "followers": followers, "nextCursor": null})
        );

        let sk = format!("#FRIEND#{username}");
        let mut following: Vec<_> = items
            .0
            .iter()
            .filter(|item| item["SK"] == sk.as_str())
            .map(|friend| shown(friend, &["followedUser", "timestamp"]))
            .collect();
        following.sort_by_key(|friend| text(friend, "followedUser").to_owned());
        let answer = get(stranger, &format!("/users/{username}/following?limit=100")).await;
        assert_eq!(answer, json!({"following": following, "nextCursor": null}));
        let profiles = get(stranger, &format!("/users/{username}/following/profiles?limit=100")).await;
        let names: Vec<_> = profiles["following"]
            .as_array()
            .unwrap()
            .iter()
            .map(|user| &user["name"])
            .collect();
        let expected: Vec<_> = following
            .iter()
            .map(|friend| &users[text(friend, "followedUser")]["name"])
            .collect();
        assert_eq!(names, expected);
    }
    assert_eq!(
        photos_seen,
        items
            .0
            .iter()
            .filter(|item| text(item, "SK").starts_with("PHOTO#") && text(item, "PK").starts_with("USER#"))
            .count()
    );
    stack.shutdown().await;
}
