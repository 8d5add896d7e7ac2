//! The deletion of an account on the page.

use serde_json::json;

use super::visitor::{HEADLINE, Visitor};
use crate::browser::{start_browser, start_small_stack};

/// A photo of ada, with a heart of cara, a comment of ben, and an answer of ada.
const PHOTO: &str = "#/photos/ada/2024-05-30T15:42:38";

/// The rows of what is deleted, without those of which there was nothing.
const DELETED: &str = "[...document.querySelectorAll('.cascade .gone')]
    .map((row) => row.innerText.replace(/\\s+/g, ' ').trim()).filter((row) => !row.endsWith(' 0 deleted'))";

#[tokio::test]
async fn a_deleted_account_shows_how_it_disappears_and_leaves_what_others_have() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    ada.visit("#/users/ada").await;
    ada.see("1 follower ").await;
    let photos = ada.browser.run("return document.querySelector('.counts strong').innerText").await;

    let ben = Visitor::enter(other, &stack, "Ben Okafor").await;
    ben.click("Settings").await;
    ben.click_beginning("Delete my account").await;
    ben.see("2 photos with their comments").await;
    ben.fill("username", "ada").await;
    ben.click("Delete my account").await;
    ben.see_in("form .error", "You are ben.").await;
    ben.fill("username", "ben").await;
    ben.click("Delete my account").await;
    ben.see_in("h1", "Ben Okafor is gone").await;
    let deleted = json!([
        "Photos 2 deleted",
        "Comments 1 deleted",
        "People you follow 1 deleted",
        "Favorites and tags 8 deleted",
        "Photos in your feed 2 deleted",
        "Notifications 1 deleted",
        "Entries of the search 8 deleted",
    ]);
    ben.see_value(DELETED, deleted).await;
    ben.see("1 other user and 1 photo of others have other counts now.").await;
    ben.see_in("[role=status]", "the name ben rests until").await;
    ben.see_in(".happened > li", "DELETE /users/me 204").await;
    ben.click("Back to the start").await;
    ben.see(HEADLINE).await;
    ben.see_in(".users", "Ada Marsh").await;
    assert!(!ben.shows(".users", "Ben Okafor").await);
    ben.browser.reload().await;
    ben.see(HEADLINE).await;

    ada.browser.reload().await;
    ada.see("0 followers").await;
    ada.see_value("document.querySelector('.counts strong').innerText", photos).await;
    ada.visit(PHOTO).await;
    ada.see("1 comment").await;
    ada.see("On the pier, @ben, just after nine").await;
    // There is no such user any more.
    ada.see_no(".text a").await;
    ada.see_element("[aria-label='heart, 1']").await;
    for visitor in [ada, ben] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}
