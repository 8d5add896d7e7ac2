//! The home feed, from the upload of a photo to the page that shows it.

use std::time::Duration;

use local::stack::Options;
use serde_json::{Value, json};
use testing::PNG;
use tokio::time::{Instant, sleep};

use crate::api::Api;

const FEED: &str = "/users/dora/feed?limit=100";

impl Api {
    /// Returns the paths of the photos in the feed of dora.
    async fn feed(&self) -> Vec<String> {
        let photos = self.get("dora", FEED).await["photos"].take();
        let path = |photo: &Value| {
            let text = |name: &str| photo[name].as_str().unwrap().to_owned();
            format!("/users/{}/photos/{}", text("username"), text("id"))
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

/// Dora follows ada and then elif, who post, and are unfollowed and deleted. Her feed shows each
/// change within this time.
async fn check(api: Api, within: Duration) {
    let shows = async |what: &str, is_expected: &dyn Fn(&[String]) -> bool| {
        let deadline = Instant::now() + within;
        loop {
            let feed = api.feed().await;
            if is_expected(&feed) {
                return;
            }
            assert!(Instant::now() < deadline, "{what}: {feed:?}");
            sleep(Duration::from_millis(50)).await;
        }
    };

    let dora = json!({"username": "dora", "name": "Dora Okafor"});
    assert_eq!(api.request("dora", "POST", "/users").json(&dora).send().await.unwrap().status(), 201);
    assert_eq!(api.put("dora", "/users/ada/followers/dora").await, 201);
    api.stack.idle().await;
    let photos = async |user| {
        api.get("dora", &format!("/users/{user}/photos?limit=25")).await["photos"].as_array().unwrap().len()
    };
    let (mut of_ada, of_elif) = (photos("ada").await, photos("elif").await);
    shows("those of ada", &|feed| feed.len() == of_ada).await;
    let ada = api.post("ada").await;
    of_ada += 1;
    shows("a new one", &|feed| feed[0] == ada && feed.len() == of_ada).await;

    assert_eq!(api.put("dora", "/users/elif/followers/dora").await, 201);
    api.stack.idle().await;
    shows("those of elif too", &|feed| feed.len() == of_ada + of_elif).await;
    let elif = api.post("elif").await;
    let newest = [elif.clone(), ada.clone()];
    shows("both new ones", &|feed| feed[..2] == newest && feed.len() == of_ada + of_elif + 1).await;

    api.delete("elif", &elif).await;
    shows("a deleted photo disappears", &|feed| feed[0] == ada).await;
    api.delete("dora", "/users/elif/followers/dora").await;
    assert_eq!(api.feed().await.len(), of_ada, "an author who is not followed any more disappears at once");
    api.stack.idle().await;
    api.post("elif").await;
    assert_eq!(api.feed().await.len(), of_ada);
    assert_eq!(api.put("dora", "/users/elif/followers/dora").await, 201);
    api.stack.idle().await;
    shows("those of elif again", &|feed| feed.len() == of_ada + of_elif + 1).await;
    api.delete("elif", "/users/elif").await;
    shows("an author who is deleted disappears", &|feed| feed.len() == of_ada).await;
    api.stack.idle().await;
    assert_eq!(api.feed().await.len(), of_ada);
    api.stack.shutdown().await;
}

#[tokio::test]
async fn a_feed_shows_the_photos_of_those_whom_one_follows_now() {
    check(Api::start().await, Duration::ZERO).await;
}

/// The process of list-feed remembers the newest photos of these authors for a second.
#[tokio::test]
async fn a_feed_of_pulled_authors_shows_the_same_within_a_second() {
    let parameters = [("MaxPushedFollowers".to_owned(), "0".to_owned())].into();
    check(Api::with(Options { parameters, ..Options::default() }).await, Duration::from_secs(2)).await;
}
