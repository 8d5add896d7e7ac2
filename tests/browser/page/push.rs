//! Push notifications, from the function to the service worker. The small headless browser has no
//! notifications, and then the page alone shows what the service worker has decrypted.

use std::time::Duration;

use local::stack::Stack;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::visitor::{HEADLINE, Visitor};
use crate::browser::{start_browser, start_small_stack};

/// A photo of ada.
const PHOTO: &str = "#/photos/ada/2024-05-30T15:42:38";

/// The notifications that the service worker shows, or `null` before there is one. Without the
/// permission there is none.
const SHOWN: &str = r#"
    if (Notification.permission !== "granted") return "no permission";
    const registration = navigator.serviceWorker.getRegistration("/local/page/");
    return registration.then((registration) => registration.getNotifications()).then((shown) =>
      shown.length > 0 ? shown.map(({title, body, tag}) => ({title, body, tag})) : null);"#;

/// The time in which a subscription has to end.
const TIMEOUT: Duration = Duration::from_mins(1);

impl Visitor {
    /// Allows the page to show notifications, and turns push notifications on. Returns the endpoint
    /// of the subscription.
    pub(super) async fn turns_push_on(&self, stack: &Stack) -> String {
        let permission = json!({"permissions": ["notifications"], "origin": stack.api()});
        self.browser.devtools("Browser.grantPermissions", permission).await;
        self.visit("#/settings/push").await;
        self.see_in("h1", "Push notifications").await;
        self.click("In this browser").await;
        self.see_in(".lines", "This browser").await;
        let script = "return JSON.parse(Object.entries(localStorage).find(([name]) => name.startsWith('push of '))[1])";
        self.browser.run(script).await["endpoint"].as_str().unwrap().to_owned()
    }

    async fn comments(&self, text: &str) {
        self.visit(PHOTO).await;
        self.fill("text", text).await;
        self.click("Send").await;
        self.see(text).await;
    }
}

#[tokio::test]
async fn a_comment_in_one_window_is_a_notification_in_the_other_one() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    let endpoint = ada.turns_push_on(&stack).await;
    ada.click("Back to the settings").await;
    ada.see("On in this browser").await;

    let ben = Visitor::enter(other, &stack, "Ben Okafor").await;
    ben.comments("The light is wonderful").await;
    ada.see_in(".notice", "ben commented on your photo: The light is wonderful").await;
    let shown = ada.browser.wait_for(SHOWN, json!([])).await;
    let tag = "comment#ada#2024-05-30T15:42:38";
    let expected = json!([{"title": "ben commented on your photo", "body": "The light is wonderful", "tag": tag}]);
    assert!([expected, json!("no permission")].contains(&shown), "{shown}");
    assert_eq!(stack.push().messages(&endpoint).unwrap().len(), 1);

    // The window listens again after a reload, with the same keys.
    ada.browser.reload().await;
    ada.see("On in this browser").await;
    ben.comments("@ada, where is this?").await;
    ada.see_in(".notice", "@ada, where is this?").await;
    for visitor in [ada, ben] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn a_user_gets_no_push_of_an_unwanted_kind_nor_on_a_device_that_is_signed_out() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    let endpoint = ada.turns_push_on(&stack).await;
    ada.click("comments on your photo").await;
    ada.click("Save").await;
    ada.see("Your wishes are saved.").await;
    ada.browser.reload().await;
    ada.see_value("document.querySelector('[name=field-comment]')?.checked", json!(false)).await;

    let ben = Visitor::enter(other, &stack, "Ben Okafor").await;
    ben.comments("The light is wonderful").await;
    stack.idle().await;
    assert_eq!(stack.push().messages(&endpoint), Some(vec![]));
    ben.click("smile, 0").await;
    ada.see_in(".notice", "ben reacted to your photo").await;
    assert_eq!(stack.push().messages(&endpoint).unwrap().len(), 1);

    ada.click("Sign out ada").await;
    ada.see(HEADLINE).await;
    let ended = async {
        while stack.push().messages(&endpoint).is_some() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(TIMEOUT, ended).await.expect("the subscription ends");
    let url = |path: &str| format!("{}/users/{path}", stack.api());
    let (as_ada, as_ben) = (stack.token("ada").unwrap(), stack.token("ben").unwrap());
    let http = reqwest::Client::new();
    let devices = http.get(url("me/devices")).bearer_auth(as_ada).send().await.unwrap();
    let devices: Value = devices.json().await.unwrap();
    assert!(devices["devices"].as_array().unwrap().iter().all(|device| device["kind"] != "web"), "{devices}");
    let follow = http.put(url("ada/followers/me")).bearer_auth(as_ben).send().await.unwrap();
    assert!(follow.status().is_success());
    stack.idle().await;
    assert_eq!(stack.outbox().contents()["failures"], json!([]));
    for visitor in [ada, ben] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}
