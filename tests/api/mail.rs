//! A mail service that answers nobody, with the outbox of the local stack.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::api::Api;

/// The time for the follow-up work, long enough for a loaded machine. send-welcome waits for the
/// mail service, gives up, and tries again for far longer.
const TIMEOUT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

impl Api {
    async fn emails(&self) -> Value {
        self.get("dora", "/local/outbox").await["emails"].take()
    }

    /// Returns whether dora is in the directory, has a feed, and is in the inbox of ada as a
    /// follower.
    async fn follow_up_work_is_done(&self) -> bool {
        let notifications = self.get("ada", "/users/ada/notifications").await["notifications"].take();
        let is_by_dora = |one: &Value| one["kind"] == "follower" && one["usernames"][0] == "dora";
        let is_listed = !self.get("ada", "/users?q=okafor").await["users"].as_array().unwrap().is_empty();
        let has_feed = !self.get("dora", "/users/dora/feed").await["photos"].as_array().unwrap().is_empty();
        notifications.as_array().unwrap().iter().any(is_by_dora) && is_listed && has_feed
    }
}

#[tokio::test]
async fn a_mail_service_that_hangs_delays_its_emails_alone() {
    let api = Api::start().await;
    api.stack.outbox().set_hanging(true);
    let dora = json!({"username": "dora", "name": "Dora Okafor", "email": "dora@example.com"});
    assert_eq!(api.request("dora", "POST", "/users").json(&dora).send().await.unwrap().status(), 201);
    assert_eq!(api.put("dora", "/users/ada/followers/dora").await, 201);
    let done = async {
        while !api.follow_up_work_is_done().await {
            sleep(PAUSE).await;
        }
    };
    timeout(TIMEOUT, done).await.expect("the follow-up work does not wait for the mail service");
    assert_eq!(api.emails().await, json!([]));

    api.stack.outbox().set_hanging(false);
    api.stack.idle().await;
    assert_eq!(api.emails().await[0]["to"], json!(["dora@example.com"]));
    api.stack.shutdown().await;
}
