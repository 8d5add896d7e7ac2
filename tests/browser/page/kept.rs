//! The state of the page that a reload keeps.

use serde_json::json;

use super::pictures::picture;
use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack, start_stack};

/// A photo of ada, with a heart of cara, a comment of ben, and an answer of ada.
const PHOTO: &str = "#/photos/ada/2024-05-30T15:42:38";

/// Finds the field for a reply.
const REPLY: &str = "return document.querySelector('.replies [name=field-text]')";

impl Visitor {
    /// Sends a reply to the comment whose replies are open.
    async fn replies(&self, text: &str) {
        self.browser.act("value", json!({"text": text}), REPLY, json!([])).await;
        self.click("Reply").await;
    }
}

/// Finds a pressed button by its name.
fn pressed(name: &str) -> String {
    format!("[aria-label='{name}'][aria-pressed=true]")
}

#[tokio::test]
async fn a_search_a_follow_a_reaction_a_saved_photo_and_a_comment_survive_a_reload() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.search("ma").await;
    visitor.click("Follow ada").await;
    visitor.see("You follow ada.").await;
    visitor.browser.reload().await;
    visitor.see_element(&pressed("Following ada")).await;
    visitor.see_in(".pages", "Ada Marsh").await;
    visitor.see_value("document.querySelector('[type=search]').value", "ma".into()).await;
    visitor.click("Ada Marsh ada").await;
    visitor.see_element(&pressed("Following ada")).await;

    visitor.visit(PHOTO).await;
    visitor.see_element(&pressed("heart, 1")).await;
    visitor.click("heart, 1").await;
    visitor.click("thumbs up, 0").await;
    visitor.click("Save").await;
    visitor.see("The photo is in your favorites.").await;
    visitor.fill("text", "Is it cold there, @ben?").await;
    visitor.click("Send").await;
    visitor.see("3 comments").await;
    visitor.browser.reload().await;
    for button in ["thumbs up, 1", "Save"] {
        visitor.see_element(&pressed(button)).await;
    }
    assert_eq!(visitor.count(".reactions [aria-pressed=true]").await, 2);
    visitor.see_in("main", "Cara Lindqvist thumbs up").await;
    visitor.see_in(".text a[href='#/users/ben']", "@ben").await;
    visitor.see_in(".lines li", "Cara Lindqvist").await;
    visitor.see_in(".lines .text", "Is it cold there, @ben?").await;
    visitor.click("Edit the comment of cara").await;
    visitor.fill("text", "Is it warm there?").await;
    visitor.browser.click("dialog .main").await;
    visitor.see("The comment is changed.").await;
    visitor.browser.reload().await;
    visitor.see_in(".lines .text", "Is it warm there?").await;
    visitor.see_in(".lines li", "edited").await;

    // The feed knows the same, and a saved photo leads back to it.
    stack.idle().await;
    visitor.click("Feed").await;
    visitor.see_element(&format!(".cards {}", pressed("thumbs up, 1"))).await;
    visitor.see_element(&format!(".cards {}", pressed("Save"))).await;
    visitor.see_in(".cards", "3 comments").await;
    visitor.click("Favorites").await;
    visitor.see_element(".favorite img.shown").await;
    visitor.click_beginning("Take out").await;
    visitor.see("is not a favorite any more").await;
    visitor.visit(PHOTO).await;
    visitor.see_element("[aria-label=Save][aria-pressed=false]:enabled").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_texts_of_a_photo_survive_a_reload() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.drop("noise.png", "image/png", &picture()).await;
    visitor.fill("caption0", "Snow on television").await;
    visitor.fill("altText0", "Grey dots").await;
    visitor.click("Upload").await;
    visitor.click("See photo").await;
    visitor.browser.reload().await;
    visitor.see_in(".photo .text", "Snow on television").await;
    visitor.see_element(".photo img[alt='Grey dots']").await;

    visitor.click("Edit").await;
    visitor.paste("caption", "Snow,\nfar away").await;
    visitor.paste("altText", "Colored dots").await;
    visitor.browser.click("dialog .main").await;
    visitor.see("The photo is changed.").await;
    visitor.browser.reload().await;
    visitor.see_value("document.querySelector('.photo .text')?.innerText", "Snow,\nfar away".into()).await;
    visitor.see_element(".photo img[alt='Colored dots']").await;
    visitor.click("Edit").await;
    visitor.fill("caption", "").await;
    visitor.browser.click("dialog .main").await;
    visitor.see_no(".photo .text").await;
    visitor.browser.reload().await;
    visitor.see_element(".photo img[alt='Colored dots']").await;
    visitor.see_no(".photo .text").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_owner_of_a_photo_sees_all_comments_and_deletes_one() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let http = reqwest::Client::new();
    for number in 1..=20 {
        let post = http.post(format!("{}/users/ada/photos/2024-05-30T15:42:38/comments", stack.api()));
        let post = post.bearer_auth(stack.token("cara").unwrap());
        let answer = post.json(&json!({"text": format!("Number {number}.")})).send().await.unwrap();
        assert_eq!(answer.status(), 201);
    }
    let visitor = Visitor::enter(browser, &stack, "Ada Marsh").await;
    visitor.visit(PHOTO).await;
    visitor.see("22 comments").await;
    visitor.see("Number 1.").await;
    assert_eq!(visitor.count(".text").await, 20);
    visitor.click("More").await;
    visitor.see("Where is this, @ada?").await;
    assert_eq!(visitor.count(".text").await, 22);
    visitor.click("Delete the comment of ben").await;
    visitor.click("Delete the comment").await;
    visitor.see("The comment is deleted.").await;
    visitor.see("21 comments").await;
    visitor.browser.reload().await;
    visitor.see("21 comments").await;
    visitor.click("More").await;
    visitor.see("On the pier, @ben").await;
    assert_eq!(visitor.count(".text").await, 21);
    // Ada edits her own comment, and only her own.
    assert_eq!(visitor.count("[aria-label^='Edit the comment']").await, 1);
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn two_users_answer_each_other_below_a_comment() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    ada.visit(PHOTO).await;
    ada.click("Reply to ben").await;
    ada.replies("At the old pier").await;
    ada.see_in(".replies", "At the old pier").await;
    ada.see("3 comments").await;
    ada.see_element("[aria-label='1 reply to ben'][aria-expanded=true]").await;

    let ben = Visitor::enter(other, &stack, "Ben Okafor").await;
    ben.visit("#/notifications").await;
    ben.see("replied to your comment").await;
    ben.see("At the old pier").await;
    ben.visit(PHOTO).await;
    ben.click("1 reply to ben").await;
    ben.see_in(".replies", "At the old pier").await;
    ben.replies("Thank you").await;
    ben.see_in(".replies li:last-child", "Thank you").await;
    // The screen of ada is live.
    ada.see_in(".replies li:last-child", "Thank you").await;
    ben.click("Edit the comment of ben").await;
    ben.click("Delete the comment").await;
    ben.see("The comment is deleted.").await;
    ben.see("1 comment").await;
    stack.idle().await;
    ada.browser.reload().await;
    ada.see("1 comment").await;
    ada.leave(&[]).await;
    ben.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_like_of_a_comment_tells_its_author_and_comes_to_the_top() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let cara = Visitor::enter(one, &stack, "Cara Lindqvist").await;
    cara.visit(PHOTO).await;
    cara.click("Like the comment of ben").await;
    cara.see_element("[aria-label='1 like for ben'][aria-pressed=true]").await;
    cara.click("Top").await;
    cara.see_element("[aria-label='1 like for ben'][aria-pressed=true]").await;
    stack.idle().await;

    let ben = Visitor::enter(other, &stack, "Ben Okafor").await;
    ben.visit("#/notifications").await;
    ben.see("liked your comment").await;
    ben.see("Where is this").await;
    ben.visit(PHOTO).await;
    ben.see_element("[aria-label='1 like for ben'][aria-pressed=false]").await;
    let comments = "[...document.querySelectorAll('main .lines .text')].map((text) => text.textContent)[0]";
    cara.see_value(comments, "Where is this, @ada?".into()).await;
    cara.click("1 like for ben").await;
    cara.see_element("[aria-label='Like the comment of ben'][aria-pressed=false]").await;
    cara.browser.reload().await;
    cara.see_element("[aria-label='Like the comment of ben'][aria-pressed=false]").await;
    cara.leave(&[]).await;
    ben.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_owner_of_a_photo_pins_a_comment() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    ada.visit(PHOTO).await;
    ada.click("Pin the comment of ben").await;
    ada.see_element("[aria-label='Pin the comment of ben'][aria-pressed=true]").await;
    ada.fill("text", "Thank you").await;
    ada.click("Send").await;
    ada.see("3 comments").await;
    assert!(ada.shows("main .lines li:first-child", "pinned").await);
    stack.idle().await;
    let ben = Visitor::enter(other, &stack, "Ben Okafor").await;
    ben.visit("#/notifications").await;
    ben.see("pinned your comment").await;
    ben.visit(PHOTO).await;
    ben.see_in("main .lines li:first-child", "pinned").await;
    assert_eq!(ben.count("[aria-label^='Pin the comment']").await, 0);
    ada.click("Pin the comment of ben").await;
    ada.see_element("[aria-label='Pin the comment of ben'][aria-pressed=false]").await;
    ada.leave(&[]).await;
    ben.leave(&[]).await;
    stack.shutdown().await;
}
