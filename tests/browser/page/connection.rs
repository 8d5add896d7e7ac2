//! What survives a reload, a time without a connection, and a request that fails.

use serde_json::{Value, json};

use super::pictures::picture;
use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack, start_stack};

/// How far the view is scrolled.
const SCROLLED: &str = "document.querySelector('.view').scrollTop";

impl Visitor {
    /// Lets requests to these URLs fail.
    async fn block(&self, urls: Value) {
        self.browser.devtools("Network.enable", json!({})).await;
        self.browser.devtools("Network.setBlockedURLs", json!({"urls": urls})).await;
    }

    /// Ends the connection of the browser, or brings it back.
    async fn offline(&self, offline: bool) {
        let conditions = json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.browser.devtools("Network.emulateNetworkConditions", conditions).await;
    }

    /// Returns whether the page asks before it is left.
    async fn asks_before_leaving(&self) -> bool {
        let script = "const event = new Event('beforeunload', {cancelable: true}); window.dispatchEvent(event); \
            return event.defaultPrevented";
        self.browser.run(script).await == true
    }
}

#[tokio::test]
async fn a_reload_keeps_the_tabs_the_scroll_and_the_history() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Ada Marsh").await;
    let scroll = "const view = document.querySelector('.view'); view.scrollTo(0, 8000); \
        return view.scrollTop === 8000 || null";
    visitor.browser.wait_for(scroll, json!([])).await;
    visitor.click("Access patterns").await;
    visitor.browser.reload().await;
    visitor.see_value(SCROLLED, 8000.into()).await;
    visitor.see_in(".views [aria-current=true]", "Access patterns").await;

    visitor.visit("#/people").await;
    visitor.see_in("h1", "Find people").await;
    visitor.browser.reload().await;
    visitor.see_in("h1", "Find people").await;
    visitor.browser.run("history.back()").await;
    visitor.see_value(SCROLLED, 8000.into()).await;

    visitor.looks(390, "light").await;
    visitor.browser.run("document.querySelector('.sides button:last-child').click()").await;
    visitor.browser.reload().await;
    visitor.see_element(".page[data-side=inspector]").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_feed_that_was_seen_stays_without_a_connection_and_comes_back_by_itself() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Ada Marsh").await;
    visitor.see_element(".cards img.shown").await;
    visitor.offline(true).await;
    // This was not seen.
    visitor.click("Favorites").await;
    visitor.see("The stack cannot be reached.").await;
    visitor.click("Feed").await;
    visitor.see("There is no connection.").await;
    visitor.see_element(".cards li").await;
    visitor.offline(false).await;
    visitor.see_no(".trouble").await;
    visitor.see_element(".cards img.shown").await;
    assert!(!visitor.shows("main", "There is no connection.").await);
    visitor.leave_after_a_pause(&["net::ERR_INTERNET_DISCONNECTED"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_tap_shows_at_once_and_is_taken_back_with_a_sentence_if_it_fails() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/ada").await;
    visitor.see("1 follower ").await;
    visitor.block(json!(["*/followers/me", "*/reactions/*", "*/saved/*"])).await;
    visitor.click("Follow ada").await;
    visitor.see_element("[aria-label='Following ada']").await;
    visitor.see("2 followers").await;
    visitor.see_in(".notice", "The stack cannot be reached.").await;
    visitor.see_element("[aria-label='Follow ada']").await;
    visitor.see("1 follower ").await;

    visitor.visit("#/photos/ada/2024-05-30T15:42:38").await;
    visitor.see_element("[aria-label='smile, 0']:enabled").await;
    for (tap, on, off) in [
        ("smile, 0", "[aria-label='smile, 1'][aria-pressed=true]", "[aria-label='smile, 0'][aria-pressed=false]"),
        ("Save", "[aria-label=Save][aria-pressed=true]", "[aria-label=Save][aria-pressed=false]"),
    ] {
        visitor.click("Close").await;
        visitor.see_no(".notice div").await;
        visitor.click(tap).await;
        visitor.see_element(on).await;
        visitor.see_in(".notice", "The stack cannot be reached.").await;
        visitor.see_element(off).await;
    }

    // The last of two taps counts.
    visitor.block(json!([])).await;
    visitor.browser.run("for (const _ of [1, 2, 3]) document.querySelector('[aria-label=Save]').click()").await;
    visitor.see("The photo is in your favorites.").await;
    visitor.browser.reload().await;
    visitor.see_element("[aria-label=Save][aria-pressed=true]").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_upload_asks_before_leaving_and_can_be_sent_again() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.block(json!(["*/quick-photos-*"])).await;
    assert!(!visitor.asks_before_leaving().await);
    visitor.upload("noise.png", "image/png", &picture()).await;
    visitor.see_in(".uploads", "Sending to S3").await;
    assert!(visitor.asks_before_leaving().await);
    visitor.see_in(".uploads .trouble", "The file did not reach S3").await;
    visitor.block(json!([])).await;
    visitor.click("Try again").await;
    visitor.see_in(".uploads .ready", "Ready").await;
    assert!(!visitor.asks_before_leaving().await);

    // A file that is not sent yet goes on after a reload.
    visitor.block(json!(["*/quick-photos-*"])).await;
    visitor.upload("later.png", "image/png", &picture()).await;
    visitor.see_in(".uploads .trouble", "The file did not reach S3").await;
    visitor.block(json!([])).await;
    visitor.browser.reload().await;
    visitor.see_in(".uploads .ready", "Ready").await;
    visitor.click("See photo").await;
    visitor.see_element(".photo img.shown").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
