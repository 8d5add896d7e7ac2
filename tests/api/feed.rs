//! The home feed, from the upload of a photo to the page that shows it.

use local::stack::Options;
use serde_json::{Value, json};
use testing::PNG;

use crate::api::Api;

const FEED: &str = "/users/dora/feed?limit=100";

impl Api {
    /// Returns the paths of the photos in the feed of dora.
    async fn feed(&self) -> Vec<String> {
        let photos = self.get("dora", FEED).await["photos"].take();
        let path = |photo: &Value| {
            let text = |name: &str| photo[name].as_str().unwrap().to_owned();
            format!("/users/{}/photos/{}", text("username"), text("timestamp"))
        };
        photos.as_array().unwrap().iter().map(path).collect()
    }

    /// Uploads a photo and waits until the streams and the events have been handled.
    async fn post(&self, author: &str) -> String {
        let path = self.upload(author, PNG).await;
        self.stack.idle().await;
        path
    }

    async fn delete(&self, caller: &str, path: &str) {
        assert_eq!(self.request(caller, "DELETE", path).send().await.unwrap().status(), 204, "{path}");
    }
}

/// Dora follows ada and then elif, who post, and are unfollowed and deleted.
async fn check(api: Api) {
    let dora = json!({"username": "dora", "name": "Dora Okafor"});
    assert_eq!(api.request("dora", "POST", "/users").json(&dora).send().await.unwrap().status(), 201);
    assert_eq!(api.put("dora", "/users/ada/followers/dora").await, 201);
    api.stack.idle().await;
    let photos = async |user| {
        api.get("dora", &format!("/users/{user}/photos?limit=25")).await["photos"].as_array().unwrap().len()
    };
    let (mut of_ada, of_elif) = (photos("ada").await, photos("elif").await);
    assert_eq!(api.feed().await.len(), of_ada);
    let ada = api.post("ada").await;
    of_ada += 1;
    let mut feed = api.feed().await;
    assert_eq!(feed[0], ada);
    assert_eq!(feed.len(), of_ada);

    assert_eq!(api.put("dora", "/users/elif/followers/dora").await, 201);
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), of_ada + of_elif);
    let elif = api.post("elif").await;
    feed = api.feed().await;
    assert_eq!(feed[..2], [elif.clone(), ada.clone()]);
    assert_eq!(feed.len(), of_ada + of_elif + 1);

    api.delete("elif", &elif).await;
    assert_eq!(api.feed().await[0], ada, "a deleted photo disappears at once");
    api.delete("dora", "/users/elif/followers/dora").await;
    assert_eq!(api.feed().await.len(), of_ada, "so does an author who is not followed any more");
    api.stack.idle().await;
    api.post("elif").await;
    assert_eq!(api.feed().await.len(), of_ada);
    assert_eq!(api.put("dora", "/users/elif/followers/dora").await, 201);
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), of_ada + of_elif + 1);
    api.delete("elif", "/users/elif").await;
    assert_eq!(api.feed().await.len(), of_ada, "and an author who is deleted");
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), of_ada);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_feed_shows_the_photos_of_those_whom_one_follows_now() {
    check(Api::start().await).await;
}

#[tokio::test]
async fn a_feed_of_pulled_authors_shows_the_same() {
    let parameters = [("MaxPushedFollowers".to_owned(), "0".to_owned())].into();
    check(Api::with(Options { parameters, ..Options::default() }).await).await;
}
