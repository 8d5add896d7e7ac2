//! Views, users and mentions that do not exist.

use serde_json::json;

use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack};

#[tokio::test]
async fn an_unknown_view_and_an_unknown_user_say_so_and_lead_back() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    for view in ["#/nonsense", "#/users/ada/unknown", "#/users", "#/settings/unknown", "#/constructor", "#/users/%E0"] {
        visitor.visit(view).await;
        visitor.see_in("h1", "There is no such page").await;
        visitor.click("Back to the feed").await;
        visitor.see_in("h1", "Feed").await;
    }
    visitor.visit("#/users/nobody").await;
    visitor.see_in("h1", "There is no user nobody").await;
    visitor.click("Search people").await;
    visitor.see_value("document.querySelector('[type=search]').value", "nobody".into()).await;
    visitor.leave(&["/users/nobody/profile"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn only_mentions_of_users_are_links() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let photo = "/users/ada/photos/2024-06-09T13:49:13";
    let post = reqwest::Client::new().post(format!("{}{photo}/comments", stack.api()));
    let text = json!({"text": "@ada, @cara and @nobody"});
    let answer = post.bearer_auth(stack.token("ada").unwrap()).json(&text).send().await.unwrap();
    assert_eq!(answer.status(), 201);

    let visitor = Visitor::enter(browser, &stack, "Ben Okafor").await;
    visitor.visit("#/photos/ada/2024-06-09T13:49:13").await;
    visitor.see_in(".lines .text", "@ada, @cara and @nobody").await;
    let links = "[...document.querySelectorAll('.lines .text a')].map(({hash}) => hash)";
    visitor.see_value(links, json!(["#/users/ada", "#/users/cara"])).await;
    visitor.see_in(".inspector", "GET /users?q=nobody").await;
    assert_eq!(visitor.count(".lines .text a").await, 2);
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
