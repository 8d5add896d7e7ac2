//! The home feed, from the upload of a photo to the page that shows it.

use local::stack::Options;
use serde_json::Value;
use testing::PNG;

use crate::api::Api;

const FEED: &str = "/users/ben/feed?limit=100";

impl Api {
    /// Returns the paths of the photos in the feed of ben.
    async fn feed(&self) -> Vec<String> {
        let photos = self.get("ben", FEED).await["photos"].take();
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

/// Ben follows ada and then elif, who post, and are unfollowed and deleted.
async fn check(api: Api) {
    let ada = api.post("ada").await;
    let mut feed = api.feed().await;
    assert_eq!(feed[0], ada);
    assert_eq!(feed.len(), 3, "ada had two photos");

    let of_elif = api.get("elif", "/users/elif/photos?limit=25").await["photos"].as_array().unwrap().len();
    assert_eq!(api.put("ben", "/users/elif/followers/ben").await, 201);
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), 3 + of_elif);
    let elif = api.post("elif").await;
    feed = api.feed().await;
    assert_eq!(feed[..2], [elif.clone(), ada.clone()]);
    assert_eq!(feed.len(), 4 + of_elif);

    api.delete("elif", &elif).await;
    assert_eq!(api.feed().await[0], ada, "a deleted photo disappears at once");
    api.delete("ben", "/users/elif/followers/ben").await;
    assert_eq!(api.feed().await.len(), 3, "so does an author who is not followed any more");
    api.stack.idle().await;
    api.post("elif").await;
    assert_eq!(api.feed().await.len(), 3);
    assert_eq!(api.put("ben", "/users/elif/followers/ben").await, 201);
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), 3 + of_elif + 1);
    api.delete("elif", "/users/elif").await;
    assert_eq!(api.feed().await.len(), 3, "and an author who is deleted");
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), 3);
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
