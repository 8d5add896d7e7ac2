//! Live screens: a window shows what others do, without a reload.

use local::stack::Stack;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use super::pictures::picture;
use super::visitor::{HEADLINE, Visitor};
use crate::browser::webdriver::Browser;
use crate::browser::{start_browser, start_small_stack};

/// A photo of ada, with two comments, and its view.
const PHOTO: &str = "/users/ada/photos/2024-05-30T15:42:38";
const VIEW: &str = "#/photos/ada/2024-05-30T15:42:38";

/// Keeps the connections of the page in `sockets`, and what they bring in `messages`.
const KEEP_CONNECTIONS: &str = r#"
    window.sockets = [];
    window.messages = [];
    window.WebSocket = class extends WebSocket {
      constructor(url) {
        super(url);
        sockets.push(this);
        this.addEventListener("message", ({data}) => messages.push(JSON.parse(data)));
      }
    };"#;

/// Keeps the answer with a photo back while `holds` is true, until somebody calls `release`.
const HOLD_ANSWERS: &str = r#"
    const fetched = window.fetch;
    window.fetch = async (url, options) => {
      const answer = await fetched(url, options);
      if (window.holds && url.includes("include=comments")) await new Promise((release) => window.release = release);
      return answer;
    };"#;

/// Returns the number of answered requests of the page whose URL has these two parts.
fn answers(one: &str, other: &str) -> String {
    format!(
        "performance.getEntriesByType('resource').filter(({{name}}) => name.includes('{one}') && name.includes('{other}')).length"
    )
}

impl Visitor {
    /// Signs in, and waits for the live connection.
    async fn enter_live(browser: Browser, stack: &Stack, name: &str) -> Self {
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": KEEP_CONNECTIONS})).await;
        let visitor = Self::enter(browser, stack, name).await;
        visitor.is_connected(1).await;
        visitor
    }

    /// Waits until this number of connections have begun, and the last one is open.
    async fn is_connected(&self, number: usize) {
        self.see_value("[sockets.length, sockets.at(-1)?.readyState]", json!([number, 1])).await;
    }

    /// Looks at the notifications, so that the bell has nothing new.
    async fn sees_notifications(&self) {
        self.visit("#/notifications").await;
        self.see_in(".notifications", "Cara Lindqvist reacted to your photo").await;
        self.see_element("[aria-label=Notifications]").await;
    }

    /// Looks at the photo, and waits until the server knows that. It has got one request before.
    async fn looks_at_photo(&self) {
        self.visit(VIEW).await;
        self.see("2 comments").await;
        self.see_value(&answers("/users/me/", "/screens/"), json!(2)).await;
    }

    /// Forgets the messages so far.
    async fn forgets_messages(&self) {
        self.browser.run("messages.length = 0").await;
    }

    /// Returns the messages since they were forgotten.
    async fn messages(&self) -> Value {
        self.browser.run("return messages").await
    }
}

/// Sends a request in the name of a user, and returns the status of the answer.
async fn send(stack: &Stack, username: &str, method: Method, path: &str, body: &Value) -> StatusCode {
    let request = Client::new().request(method, format!("{}{path}", stack.api()));
    let request = request.bearer_auth(stack.token(username).unwrap());
    let request = if body.is_null() { request } else { request.json(body) };
    request.send().await.unwrap().status()
}

/// Comments on the photo as ben.
async fn comment(stack: &Stack, text: &str) {
    let status = send(stack, "ben", Method::POST, &format!("{PHOTO}/comments"), &json!({"text": text})).await;
    assert_eq!(status, StatusCode::CREATED);
}

/// Reacts to the photo as a user.
async fn smile(stack: &Stack, username: &str) -> StatusCode {
    send(stack, username, Method::PUT, &format!("{PHOTO}/reactions/smiley"), &Value::Null).await
}

#[tokio::test]
async fn a_photo_shows_the_comments_and_reactions_of_others_and_keeps_what_is_being_written() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter_live(browser, &stack, "Ada Marsh").await;
    ada.sees_notifications().await;
    ada.looks_at_photo().await;
    ada.fill("text", "Half a thought").await;

    comment(&stack, "The light is wonderful").await;
    ada.see_in(".lines .text", "The light is wonderful").await;
    ada.see("3 comments").await;
    ada.see_element("[aria-label='Notifications, 1 new']").await;
    assert!(smile(&stack, "ben").await.is_success());
    ada.see_element("[aria-label='smile, 1'][aria-pressed=false]").await;
    ada.see("Ben Okafor smile").await;
    ada.see_element("[aria-label='Notifications, 2 new']").await;

    let field = "[document.activeElement.name, document.activeElement.value]";
    ada.see_value(field, json!(["field-text", "Half a thought"])).await;
    ada.is_connected(1).await;
    ada.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_answer_from_before_a_save_or_a_like_does_not_take_it_back() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": HOLD_ANSWERS})).await;
    let ada = Visitor::enter_live(browser, &stack, "Ada Marsh").await;
    ada.looks_at_photo().await;
    let held = async |text: &str| {
        ada.browser.run("window.holds = true; delete window.release").await;
        comment(&stack, text).await;
        ada.see_value("typeof window.release", json!("function")).await;
    };
    let released = async |text: &str| {
        ada.browser.run("holds = false; release()").await;
        ada.see_in(".lines .text", text).await;
    };
    held("The light is wonderful").await;
    ada.click("Save").await;
    ada.see("The photo is in your favorites.").await;
    released("The light is wonderful").await;
    ada.see_element("[aria-label=Save][aria-pressed=true]").await;

    held("And the sea").await;
    ada.click("Like the comment of ben").await;
    ada.see_element("[aria-label='1 like for ben'][aria-pressed=true]").await;
    released("And the sea").await;
    ada.see_element("[aria-label='1 like for ben'][aria-pressed=true]").await;
    ada.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_upload_is_read_once_when_it_is_ready_and_the_feed_of_a_follower_offers_it() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter_live(one, &stack, "Ada Marsh").await;
    let ben = Visitor::enter_live(other, &stack, "Ben Okafor").await;
    ben.see_element(".cards img.shown").await;
    let before = ben.count(".cards > li").await;

    ada.upload("noise.png", "image/png", &picture()).await;
    ada.see_in(".uploads .ready", "Ready").await;
    ada.see_value(&answers("/users/me/photos/", "limit=1"), json!(1)).await;

    // Nothing moves before he wants it.
    ben.see_in(".news", "New photos").await;
    assert_eq!(ben.count(".cards > li").await, before);
    ben.click("New photos").await;
    ben.see_value("document.querySelectorAll('.cards > li').length", json!(before + 1)).await;
    ben.see_no(".news").await;
    for visitor in [ada, ben] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn what_happened_without_a_connection_shows_when_it_is_back() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let photo = Visitor::enter_live(one, &stack, "Ada Marsh").await;
    let inbox = Visitor::enter_live(other, &stack, "Ada Marsh").await;
    inbox.sees_notifications().await;
    photo.looks_at_photo().await;

    let cut = Client::new().post(format!("{}/local/live/cut", stack.api())).send().await.unwrap();
    assert!(cut.status().is_success());
    comment(&stack, "Nobody hears this").await;
    for visitor in [&photo, &inbox] {
        visitor.is_connected(2).await;
        visitor.see_element("[aria-label='Notifications, 1 new']").await;
    }
    photo.see_in(".lines .text", "Nobody hears this").await;
    // What shows is not seen before she asks for it.
    inbox.click("New notifications").await;
    inbox.see_in(".notifications .new", "Nobody hears this").await;
    inbox.see_element("[aria-label=Notifications]").await;
    for visitor in [photo, inbox] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn a_blocked_user_rings_no_bell() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter_live(browser, &stack, "Ada Marsh").await;
    ada.sees_notifications().await;
    let block = send(&stack, "ada", Method::PUT, "/users/me/blocks/ben", &json!({"level": "block"})).await;
    assert!(block.is_success());
    stack.idle().await;
    ada.forgets_messages().await;
    assert_eq!(smile(&stack, "ben").await, StatusCode::NOT_FOUND);
    stack.idle().await;
    assert!(smile(&stack, "cara").await.is_success());
    ada.see_element("[aria-label='Notifications, 1 new']").await;
    assert_eq!(ada.messages().await, json!([{"kind": "notifications"}]));
    ada.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_window_hears_nothing_after_its_user_has_signed_out() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter_live(browser, &stack, "Ada Marsh").await;
    ada.looks_at_photo().await;
    ada.click("Sign out ada").await;
    ada.see(HEADLINE).await;
    ada.see_value("sockets.map(({readyState}) => readyState)", json!([3])).await;
    ada.see_in(".happened", "DELETE /users/me/screens/").await;
    ada.forgets_messages().await;
    comment(&stack, "Is anybody there?").await;
    stack.idle().await;
    assert_eq!(ada.messages().await, json!([]));
    ada.see_value("sockets.length", json!(1)).await;
    ada.leave(&[]).await;
    stack.shutdown().await;
}
