//! Compares what the API shows with the items of the lab, whose photos have no pictures.

use std::cmp::Reverse;
use std::path::Path;

use local::stack::{Data, Options, Stack};
use serde_json::{Value, json};
use tests::stack;

struct Subject {
    stack: Stack,
    items: Vec<Value>,
}

impl Subject {
    async fn start() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("lab/items.json");
        let lines = std::fs::read_to_string(&file).unwrap();
        let items = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let stack = stack::start(Options { data: Data::Items(file), ..Options::default() }).await;
        Self { stack, items }
    }

    /// Returns the items whose keys begin with `pk` and `sk`.
    fn find<'a>(&'a self, pk: &'a str, sk: &'a str) -> impl Iterator<Item = &'a Value> {
        self.items.iter().filter(move |item| text(item, "PK").starts_with(pk) && text(item, "SK").starts_with(sk))
    }

    fn users(&self) -> Vec<&Value> {
        let users: Vec<_> = self.find("USER#", "#METADATA#").collect();
        assert_eq!(users.len(), 6);
        users
    }

    /// Returns the public part of a user.
    fn public(&self, username: &str) -> Value {
        let user = self.users().into_iter().find(|user| user["username"] == username).unwrap();
        let mut public = shown(user, &["username", "name", "status", "interests", "followers", "following"]);
        public["photos"] = json!(0);
        if let Some(pinned) = user["pinnedImage"].as_str() {
            let id = pinned.strip_prefix(&format!("PHOTO#{username}#")).unwrap();
            public["pinnedImage"] = json!({"username": username, "id": id});
        }
        public
    }

    /// Returns a user's photos, oldest first.
    fn photos(&self, username: &str) -> Vec<Value> {
        let mut photos: Vec<_> = self.find("USER#", &format!("PHOTO#{username}#")).map(shown_photo).collect();
        photos.sort_by_key(|photo| text(photo, "id").to_owned());
        photos
    }

    /// Returns the answer to a caller who has no items.
    async fn get(&self, path: &str) -> Value {
        self.get_as("a-stranger", path).await
    }

    async fn get_as(&self, caller: &str, path: &str) -> Value {
        let token = self.stack.token(caller).unwrap();
        let url = format!("{}{path}", self.stack.api());
        let answer = reqwest::Client::new().get(url).bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }
}

fn text<'a>(item: &'a Value, attribute: &str) -> &'a str {
    item[attribute].as_str().unwrap_or_else(|| panic!("no {attribute} in {item}"))
}

/// Returns the photo of an item as the API shows it.
fn shown_photo(item: &Value) -> Value {
    assert!(item["picture"].is_null(), "{item}");
    let mut photo = shown(item, &["username", "timestamp", "location", "reactions"]);
    photo["id"] = item["timestamp"].clone();
    photo["status"] = json!("ready");
    photo["comments"] = json!(0);
    photo
}

/// Returns an item with only these of its attributes, and with the `Z` that its time has in
/// answers.
fn shown(item: &Value, attributes: &[&str]) -> Value {
    let there = attributes.iter().filter(|name| !item[**name].is_null());
    let mut shown: Value = there.map(|name| ((*name).to_owned(), item[*name].clone())).collect();
    if let Some(Value::String(time)) = shown.get_mut("timestamp") {
        time.push('Z');
    }
    shown
}

/// Returns an entry whose user has the name that answers have for it.
fn of_user(mut entry: Value, attribute: &str) -> Value {
    entry["username"] = entry[attribute].take();
    entry.as_object_mut().unwrap().remove(attribute);
    entry
}

#[tokio::test]
async fn shows_the_profiles_and_photos_of_the_file() {
    let subject = Subject::start().await;
    for user in subject.users() {
        let username = text(user, "username");
        let mut photos = subject.photos(username);
        let profile = subject.get(&format!("/users/{username}/profile?limit=100")).await;
        assert_eq!(profile, json!({"user": subject.public(username), "photos": photos, "nextCursor": null}));

        photos.reverse();
        let recent = subject.get(&format!("/users/{username}/photos?limit=100")).await;
        assert_eq!(recent, json!({"photos": photos, "nextCursor": null}));

        let own = subject.get_as(username, &format!("/users/{username}")).await;
        for private in ["email", "birthdate", "address"] {
            assert!(user[private].is_string() && own[private] == user[private], "{private} of {username}");
        }
    }
    subject.stack.shutdown().await;
}

#[tokio::test]
async fn shows_the_reactions_of_the_file() {
    let subject = Subject::start().await;
    let mut reactions_seen = 0;
    for user in subject.users() {
        let username = text(user, "username");
        for photo in subject.photos(username) {
            let id = text(&photo, "id");
            let mut reactions: Vec<_> = subject
                .find("REACTION#", &format!("PHOTO#{username}#{id}"))
                .map(|reaction| {
                    of_user(shown(reaction, &["reactingUser", "reactionType", "timestamp"]), "reactingUser")
                })
                .collect();
            // In descending order of `REACTION#<reactingUser>#<type>`.
            let key = |reaction: &Value| format!("{}#{}", text(reaction, "username"), text(reaction, "reactionType"));
            reactions.sort_by_key(|reaction| Reverse(key(reaction)));
            reactions_seen += reactions.len();
            let answer = subject.get(&format!("/users/{username}/photos/{id}?limit=100")).await;
            assert_eq!(answer, json!({"photo": photo, "reactions": reactions, "people": {}, "nextCursor": null}));
        }
    }
    assert_eq!(reactions_seen, subject.find("REACTION#", "").count());
    subject.stack.shutdown().await;
}

#[tokio::test]
async fn shows_the_friendships_of_the_file() {
    let subject = Subject::start().await;
    let (mut followers_seen, mut following_seen) = (0, 0);
    for user in subject.users() {
        let username = text(user, "username");
        let mut followers: Vec<_> = subject
            .find("USER#", "#FRIEND#")
            .filter(|friendship| friendship["followedUser"] == username)
            .map(|friendship| of_user(shown(friendship, &["followingUser", "timestamp"]), "followingUser"))
            .collect();
        followers.sort_by_key(|follower| Reverse(text(follower, "username").to_owned()));
        followers_seen += followers.len();
        let answer = subject.get(&format!("/users/{username}/followers?limit=100")).await;
        let expected =
            json!({"user": subject.public(username), "followers": followers, "people": {}, "nextCursor": null});
        assert_eq!(answer, expected);

        let mut following: Vec<_> = subject
            .find("USER#", "#FRIEND#")
            .filter(|friendship| friendship["followingUser"] == username)
            .map(|friendship| of_user(shown(friendship, &["followedUser", "timestamp"]), "followedUser"))
            .collect();
        following.sort_by_key(|followed| text(followed, "username").to_owned());
        following_seen += following.len();
        let answer = subject.get(&format!("/users/{username}/following?limit=100")).await;
        assert_eq!(answer, json!({"following": following, "people": {}, "nextCursor": null}));

        let profiles = following.iter().map(|followed| {
            let mut profile = subject.public(text(followed, "username"));
            profile["timestamp"] = followed["timestamp"].clone();
            profile
        });
        let profiles: Vec<_> = profiles.collect();
        let answer = subject.get(&format!("/users/{username}/following/profiles?limit=100")).await;
        assert_eq!(answer, json!({"following": profiles, "people": {}, "nextCursor": null}));
    }
    let friendships = subject.find("USER#", "#FRIEND#").count();
    assert_eq!((followers_seen, following_seen), (friendships, friendships));
    subject.stack.shutdown().await;
}
