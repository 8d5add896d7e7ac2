//! A user's first visit.

use serde_json::json;
use tests::costs::patterns;

use super::visitor::Visitor;
use crate::browser::{start_browser, start_stack};

/// The newest action of the right side.
const NEWEST: &str = ".happened > li";

#[tokio::test]
async fn a_visitor_sees_photos_and_a_request_at_once_and_finds_what_an_action_costs_and_why_in_three_clicks() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see_element(".rows .picture img.shown").await;
    visitor.see_element(".users .portrait img.shown").await;
    visitor.see_in(NEWEST, "GET /users/me/feed?include=viewer&limit=12 200").await;
    visitor.see_in(NEWEST, "read units").await;
    visitor.see_in(NEWEST, "Query dev.Feed").await;

    visitor.click_beginning("Look around as").await;
    visitor.see_element(".cards .picture img.shown").await;
    visitor.browser.click(".cards .reactions button").await;
    visitor.see_in(NEWEST, "add-reaction").await;
    let costs = &patterns()["add-reaction"].costs;
    visitor.see_in(NEWEST, &format!("{} write units", costs.writes)).await;
    let summary = "Adds the caller's reaction to a photo.";
    if !visitor.shows(NEWEST, summary).await {
        visitor.click("The access pattern").await;
    }
    visitor.see_in(NEWEST, summary).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_click_on_a_photo_of_the_first_feed_opens_it_as_somebody_who_can_react() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.browser.click(".rows a").await;
    visitor.see_in("h1", "Photo by").await;
    visitor.see_element(".reactions button:enabled").await;
    // Who only looked is nobody after a reload, unlike who has signed in.
    visitor.browser.reload().await;
    visitor.see_in("h1", "Photo by").await;
    visitor.click_beginning("Sign out").await;
    visitor.see_element(".rows .picture img.shown").await;
    visitor.browser.reload().await;
    visitor.see_element(".rows .picture img.shown").await;
    // The reload may come while the live connection is being made.
    visitor.leave_with(&[], &["WebSocket is closed before the connection is established"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_app_works_without_the_right_side() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.setBlockedURLs", json!({"urls": ["*/inspector.js"]})).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see_in(".inspector", "This side of the page has failed.").await;
    visitor.click("Greta Holm").await;
    visitor.see_element(".cards .picture img.shown").await;
    visitor.leave(&["The right side has failed"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_new_user_creates_a_profile_follows_somebody_and_edits_the_profile() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;

    // The API says what is wrong, and each field has its own error.
    visitor.click("Somebody new, an editor or a moderator").await;
    visitor.fill("name", "Dora Okafor").await;
    visitor.fill("username", "Dora!").await;
    visitor.click("Create the profile").await;
    visitor.see_in(".error", "username must be").await;
    visitor.see_value("document.activeElement.name", "field-username".into()).await;
    visitor.see_no(".trouble").await;
    visitor.fill("username", "dora").await;
    visitor.fill("email", "dora@example").await;
    visitor.click("Create the profile").await;
    visitor.see_in(".error", "must be an e-mail address").await;
    visitor.fill("email", "dora@example.com").await;
    visitor.click("Create the profile").await;

    visitor.see("Nothing here yet").await;
    assert_eq!(visitor.focused().await, "Feed");
    visitor.click("Find people").await;
    visitor.fill("q", "nils").await;
    visitor.click("Follow nils").await;
    visitor.see("You follow nils.").await;
    stack.idle().await;
    visitor.click("Feed").await;
    visitor.see_in(".cards", "Nils Berg").await;
    visitor.see_element(".cards .portrait img.shown").await;
    visitor.see_element(".cards .picture img.shown").await;
    visitor.browser.click(".cards .picture").await;
    visitor.see_in("h1", "Photo by Nils Berg").await;
    visitor.click("Nils Berg").await;
    visitor.click("Following nils").await;
    visitor.see("You do not follow nils any more.").await;

    visitor.click_beginning("Your profile").await;
    visitor.click("Edit profile").await;
    visitor.fill("interests", "street, film").await;
    visitor.fill("name", " ").await;
    visitor.click("Save").await;
    visitor.see_in("form .error", "must be a string of 1–100").await;
    visitor.fill("name", "Dora of Bristol").await;
    visitor.click("Save").await;
    visitor.see("Your profile is saved.").await;
    visitor.see_in(".own", "Dora of Bristol").await;
    visitor.click_beginning("Your profile").await;
    visitor.see_in("h1", "Dora of Bristol").await;
    visitor.see_in(".profile", "street film").await;

    let outbox = reqwest::get(format!("{}/local/outbox", stack.api())).await.unwrap().text().await.unwrap();
    assert!(outbox.contains("dora@example.com"), "{outbox}");
    visitor.leave(&["/local/token/Dora! - Failed to load resource", "/users - Failed", "/users/me - Failed"]).await;
    stack.shutdown().await;
}
