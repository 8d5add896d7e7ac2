//! Favorites and tags.

use serde_json::json;

use super::visitor::{ESCAPE, Visitor};
use crate::browser::{start_browser, start_stack};

#[tokio::test]
async fn a_favorite_is_added_tagged_found_taken_out_and_brought_back() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Elif Aydin").await;
    visitor.click("Favorites").await;
    visitor.see("No favorites yet").await;
    for title in ["Tiles of Lisbon", "A walk in Porto"] {
        visitor.click("Add").await;
        visitor.fill("title", title).await;
        visitor.choose("dataType", "link").await;
        visitor.click("Add").await;
        visitor.see_no("dialog").await;
        visitor.see_in(".lines li", title).await;
    }

    visitor.click("Tags of Tiles of Lisbon").await;
    visitor.fill("tagName", "to read").await;
    visitor.click("Create").await;
    visitor.see_element("dialog input:checked").await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;

    // The stream function has written what search reads.
    stack.idle().await;
    visitor.fill("q", "lisb til").await;
    visitor.see("1 shown").await;
    visitor.fill("q", "xyzzy").await;
    visitor.see("Nothing matches").await;
    visitor.fill("q", "po").await;
    visitor.see_in(".lines", "A walk in Porto").await;
    visitor.fill("q", "").await;
    visitor.see("2 shown").await;
    visitor.click("Your tags").await;
    visitor.click("to read").await;
    visitor.see_in("main", "Tagged to read").await;
    visitor.see("1 shown").await;
    visitor.choose("type", "image").await;
    visitor.see("Nothing matches").await;
    visitor.choose("type", "link").await;
    visitor.see_in(".lines", "Tiles of Lisbon").await;
    // The address has the filter, so a reload shows the same.
    visitor.browser.reload().await;
    visitor.see("1 shown").await;
    visitor.see_in(".lines", "Tiles of Lisbon").await;

    visitor.click("Take out Tiles of Lisbon").await;
    visitor.see("“Tiles of Lisbon” is not a favorite any more.").await;
    visitor.see("Nothing matches").await;
    visitor.click("Undo").await;
    visitor.see("“Tiles of Lisbon” is back, with its tags.").await;
    visitor.see_in(".lines", "Tiles of Lisbon").await;
    visitor.click("Tags of Tiles of Lisbon").await;
    visitor.see_element("dialog input:checked").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

/// Answers the next request for the newest tags as if its cursor was one of another list.
const FAIL_ONCE: &str = "
    const fetched = window.fetch;
    window.fetch = (url, options) => {
      if (!url.includes('sort=created')) return fetched(url, options);
      window.fetch = fetched;
      return fetched(`${url}&cursor=x`, options);
    };";

#[tokio::test]
async fn tags_are_renamed_deleted_and_listed_once() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Elif Aydin").await;
    visitor.visit("#/tags").await;
    visitor.see("No tags yet.").await;
    visitor.fill("tagName", " ").await;
    visitor.click("Create").await;
    visitor.see_in(".error", "must be a string").await;
    visitor.fill("tagName", "to read").await;
    visitor.click("Create").await;
    visitor.click("Change to read").await;
    visitor.fill("tagName", "later").await;
    visitor.click("Rename").await;
    visitor.see("The tag is called later now.").await;
    visitor.click("Change later").await;
    visitor.click("Delete it, also from its favorites").await;
    visitor.see("The tag later is deleted.").await;
    visitor.see("No tags yet.").await;

    // More than a page has.
    let http = reqwest::Client::new();
    for number in 0..=50 {
        let post = http.post(format!("{}/users/elif/tags", stack.api())).bearer_auth(stack.token("elif").unwrap());
        let answer = post.json(&json!({"tagName": format!("tag {number:02}")})).send().await.unwrap();
        assert_eq!(answer.status(), 201);
    }
    visitor.browser.reload().await;
    visitor.see_in(".lines li", "tag 00").await;
    visitor.browser.run(FAIL_ONCE).await;
    visitor.choose("order", "Newest").await;
    visitor.click("Try again").await;
    visitor.see_in(".lines li", "tag 50").await;
    visitor.choose("order", "Name").await;
    visitor.see_in(".lines li", "tag 00").await;
    visitor.fill("tagName", "zebra").await;
    visitor.click("Create").await;
    visitor.see_in(".lines li", "zebra").await;
    visitor.click("More").await;
    visitor.see_in(".lines li:last-child", "zebra").await;
    assert_eq!(visitor.count(".lines li").await, 52);
    visitor.leave(&["/users/me/tags - Failed to load resource", "cursor=x"]).await;
    stack.shutdown().await;
}
