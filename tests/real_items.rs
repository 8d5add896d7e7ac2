//! Compares what the API shows with a file of items. The environment variable `QUICK_PHOTOS_ITEMS` names the file;
//! without it, the test uses the sample data.

use std::cmp::Reverse;
use std::path::PathBuf;

use local::sample;
use local::stack::{Options, Stack};
use serde_json::{Value, json};
use tests::stack;

struct Subject {
    stack: Stack,
    items: Vec<Value>,
}

impl Subject {
    async fn start() -> Self {
        let file = std::env::var_os("QUICK_PHOTOS_ITEMS").map(PathBuf::from);
        let items = match &file {
            Some(path) => {
                let lines = std::fs::read_to_string(path).unwrap();
                lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
            }
            None => sample::items(sample::QUICK_PHOTOS, sample::TEST_START)
                .into_iter()
                .map(|item| serde_dynamo::from_item(item).unwrap())
                .collect(),
        };
        let stack = stack::start(Options { items: file, ..Options::default() }).await;
        Self { stack, items }
    }

    /// Returns the items whose keys begin with `pk` and `sk`.
    fn find<'a>(&'a self, pk: &'a str, sk: &'a str) -> impl Iterator<Item = &'a Value> {
        self.items.iter().filter(move |item| text(item, "PK").starts_with(pk) && text(item, "SK").starts_with(sk))
    }

    fn users(&self) -> Vec<&Value> {
        let users: Vec<_> = self.find("USER#", "#METADATA#").collect();
        assert_eq!(users.len(), 20);
        users
    }

    /// Returns the public part of a user.
    fn public(&self, username: &str) -> Value {
        let user = self.users().into_iter().find(|user| user["username"] == username).unwrap();
        let mut public = shown(user, &["username", "name", "status", "interests", "followers", "following"]);
        if let Some(pinned) = user["pinnedImage"].as_str() {
            public["pinnedImage"] = json!(pinned.strip_prefix(&format!("PHOTO#{username}#")).unwrap());
        }
        public
    }

    /// Returns a user's photos that others see, oldest first.
    fn photos(&self, username: &str) -> Vec<Value> {
        let mut photos: Vec<_> = self
            .find("USER#", &format!("PHOTO#{username}#"))
            .filter(|photo| photo["picture"].is_null() || photo["picture"]["status"] == "ready")
            .map(shown_photo)
            .collect();
        photos.sort_by_key(|photo| text(photo, "timestamp").to_owned());
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

/// Returns the photo of an item as others see it, with the paths of its pictures in place of their URLs.
fn shown_photo(item: &Value) -> Value {
    let mut photo = shown(item, &["username", "timestamp", "location", "reactions"]);
    photo["status"] = json!("ready");
    photo["comments"] = item["comments"].as_u64().unwrap_or_default().into();
    for text in ["caption", "altText"] {
        if item[text].is_string() {
            photo[text] = item[text].clone();
        }
    }
    let Value::Object(sizes) = &item["picture"]["sizes"] else { return photo };
    for member in ["width", "height", "blurhash"] {
        photo[member] = sizes[member].clone();
    }
    let folder = format!("{}/{}", text(item, "location").replace("s3:/", ""), text(&item["picture"]["sizes"], "id"));
    photo["urls"] = json!({"large": format!("{folder}/large.jpg"), "small": format!("{folder}/small.jpg")});
    photo
}

/// Replaces the URLs of a photo in an answer with their paths. S3 has to answer them with pictures.
async fn replace_urls(photo: &mut Value) {
    for url in photo.get_mut("urls").and_then(Value::as_object_mut).into_iter().flat_map(|urls| urls.values_mut()) {
        let picture = reqwest::get(url.as_str().unwrap()).await.unwrap();
        assert_eq!(
            (picture.status().as_u16(), &picture.headers()["content-type"].to_str().unwrap()),
            (200, &"image/jpeg")
        );
        *url = json!(picture.url().path().replace("%3A", ":"));
    }
}

/// Returns an item with only these of its attributes.
fn shown(item: &Value, attributes: &[&str]) -> Value {
    let there = attributes.iter().filter(|name| !item[**name].is_null());
    there.map(|name| ((*name).to_owned(), item[*name].clone())).collect()
}

#[tokio::test]
async fn shows_the_profiles_and_photos_of_the_file() {
    let subject = Subject::start().await;
    for user in subject.users() {
        let username = text(user, "username");
        let mut photos = subject.photos(username);
        let mut profile = subject.get(&format!("/users/{username}/profile?limit=100")).await;
        for photo in profile["photos"].as_array_mut().unwrap() {
            replace_urls(photo).await;
        }
        assert_eq!(profile, json!({"user": subject.public(username), "photos": photos, "nextCursor": null}));

        photos.reverse();
        let mut recent = subject.get(&format!("/users/{username}/photos?limit=100")).await;
        for photo in recent["photos"].as_array_mut().unwrap() {
            replace_urls(photo).await;
        }
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
            let timestamp = text(&photo, "timestamp");
            let mut reactions: Vec<_> = subject
                .find("REACTION#", &format!("PHOTO#{username}#{timestamp}"))
                .map(|reaction| shown(reaction, &["reactingUser", "reactionType", "timestamp"]))
                .collect();
            // In descending order of `REACTION#<reactingUser>#<type>`.
            let key =
                |reaction: &Value| format!("{}#{}", text(reaction, "reactingUser"), text(reaction, "reactionType"));
            reactions.sort_by_key(|reaction| Reverse(key(reaction)));
            reactions_seen += reactions.len();
            let mut answer = subject.get(&format!("/users/{username}/photos/{timestamp}?limit=100")).await;
            replace_urls(&mut answer["photo"]).await;
            assert_eq!(answer, json!({"photo": photo, "reactions": reactions, "nextCursor": null}));
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
            .map(|friendship| shown(friendship, &["followingUser", "timestamp"]))
            .collect();
        followers.sort_by_key(|follower| Reverse(text(follower, "followingUser").to_owned()));
        followers_seen += followers.len();
        let answer = subject.get(&format!("/users/{username}/followers?limit=100")).await;
        assert_eq!(answer, json!({"user": subject.public(username), "followers": followers, "nextCursor": null}));

        let mut following: Vec<_> = subject
            .find("USER#", "#FRIEND#")
            .filter(|friendship| friendship["followingUser"] == username)
            .map(|friendship| shown(friendship, &["followedUser", "timestamp"]))
            .collect();
        following.sort_by_key(|followed| text(followed, "followedUser").to_owned());
        following_seen += following.len();
        let answer = subject.get(&format!("/users/{username}/following?limit=100")).await;
        assert_eq!(answer, json!({"following": following, "nextCursor": null}));

        let profiles: Vec<_> =
            following.iter().map(|followed| subject.public(text(followed, "followedUser"))).collect();
        let answer = subject.get(&format!("/users/{username}/following/profiles?limit=100")).await;
        assert_eq!(answer, json!({"following": profiles, "nextCursor": null}));
    }
    let friendships = subject.find("USER#", "#FRIEND#").count();
    assert_eq!((followers_seen, following_seen), (friendships, friendships));
    subject.stack.shutdown().await;
}
