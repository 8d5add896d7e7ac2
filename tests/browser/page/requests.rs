//! Requests to follow, and followers who are removed.

use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack};

#[tokio::test]
async fn a_request_is_sent_withdrawn_accepted_and_declined() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    ada.visit("#/users/ada").await;
    ada.click("Edit profile").await;
    ada.choose("approvesFollowers", "People whom you accept").await;
    ada.click("Save").await;
    ada.see("Your profile is saved.").await;
    // A save without changes is not followed by one of what the form shows instead.
    ada.see_element("form .main:enabled").await;
    ada.click("Save").await;
    ada.see_element("form .main:enabled").await;
    ada.fill("status", "On the pier").await;
    ada.click("Save").await;
    ada.see_element("form .main:enabled").await;

    let cara = Visitor::enter(other, &stack, "Cara Lindqvist").await;
    cara.visit("#/users/ada").await;
    cara.click("Follow ada").await;
    cara.see("You have asked ada, who approves followers.").await;
    cara.see("1 follower ").await;
    cara.browser.reload().await;
    cara.click("Requested ada").await;
    cara.see("You do not ask ada any more.").await;
    cara.click("Follow ada").await;
    cara.browser.reload().await;
    cara.see_element("[aria-label='Requested ada'][aria-pressed=true]").await;

    ada.click("Settings").await;
    ada.see("1 waiting for your answer").await;
    ada.click_beginning("Requests to follow").await;
    ada.see_in(".pages", "Cara Lindqvist").await;
    ada.click("Decline cara").await;
    ada.see("Nobody else.").await;
    cara.browser.reload().await;
    cara.click("Follow ada").await;
    cara.see("You have asked ada").await;
    ada.browser.reload().await;
    ada.click("Accept cara").await;
    ada.see("cara follows you.").await;
    cara.browser.reload().await;
    cara.see_element("[aria-label='Following ada'][aria-pressed=true]").await;
    cara.see("2 followers").await;

    // The followed user removes a follower.
    ada.visit("#/users/ada/followers").await;
    ada.click("Remove cara").await;
    ada.see("cara does not follow you any more.").await;
    ada.browser.reload().await;
    ada.see_in(".pages", "Ben Okafor").await;
    ada.see_no("[aria-label='Remove cara']").await;
    cara.browser.reload().await;
    cara.see("1 follower ").await;
    for visitor in [ada, cara] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}
