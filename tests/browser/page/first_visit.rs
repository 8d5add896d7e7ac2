//! A user's first visit.

use super::visitor::Visitor;
use crate::browser::{start_browser, start_stack};

#[tokio::test]
async fn a_new_user_creates_a_profile_follows_somebody_and_edits_the_profile() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;

    // The API says what is wrong.
    visitor.fill("name", "Dora Okafor").await;
    visitor.fill("username", "Dora!").await;
    visitor.click("Create the profile").await;
    visitor.see("username must be").await;
    visitor.fill("username", "dora").await;
    visitor.fill("email", "dora@example").await;
    visitor.click("Create the profile").await;
    visitor.see_in(".error", "must be an e-mail address").await;
    visitor.fill("email", "dora@example.com").await;
    visitor.click("Create the profile").await;

    visitor.see("Nothing here yet").await;
    assert_eq!(visitor.focused().await, "Feed");
    visitor.click("Find people").await;
    visitor.fill("q", "elif").await;
    visitor.click("Follow elif").await;
    visitor.see("You follow elif.").await;
    stack.idle().await;
    visitor.click("Feed").await;
    visitor.see_in(".cards", "Elif Aydin").await;
    visitor.see_element(".cards .portrait img.shown").await;
    visitor.see_element(".cards .picture img.shown").await;
    visitor.browser.click(".cards img").await;
    visitor.see_in("h1", "Photo by Elif Aydin").await;
    visitor.click("Elif Aydin").await;
    visitor.click("Following elif").await;
    visitor.see("You do not follow elif any more.").await;

    visitor.click("You").await;
    visitor.click("Edit profile").await;
    visitor.fill("interests", "street, film").await;
    visitor.fill("name", " ").await;
    visitor.click("Save").await;
    visitor.see_in("dialog .error", "must be a string of 1–100").await;
    visitor.fill("name", "Dora of Bristol").await;
    visitor.click("Save").await;
    visitor.see("Your profile is saved.").await;
    visitor.see_no("dialog").await;
    visitor.see_in("h1", "Dora of Bristol").await;
    visitor.see_in(".profile", "street film").await;

    let outbox = reqwest::get(format!("{}/local/outbox", stack.api())).await.unwrap().text().await.unwrap();
    assert!(outbox.contains("dora@example.com"), "{outbox}");
    visitor.leave(&["/local/token/Dora! - Failed to load resource", "/users - Failed", "/users/me - Failed"]).await;
    stack.shutdown().await;
}
