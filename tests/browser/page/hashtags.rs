//! Hashtags: they are found, followed, and lead to photos of everybody.

use super::visitor::Visitor;
use crate::browser::{start_browser, start_stack};

#[tokio::test]
async fn a_followed_hashtag_brings_photos_into_the_feed_until_it_is_unfollowed() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::join(browser, &stack, "dora").await;
    visitor.click("Search").await;
    visitor.click("Find hashtags").await;
    visitor.see_in("h1", "Find hashtags").await;
    visitor.fill("q", "#SELF").await;
    visitor.click("#selfie").await;
    visitor.see_in("h1", "#selfie").await;
    visitor.click("Follow #selfie").await;
    visitor.see("You follow #selfie.").await;
    stack.idle().await;

    visitor.click("Feed").await;
    visitor.see_in(".cards", "#selfie").await;
    visitor.browser.click(".cards .text a").await;
    visitor.click("Following #selfie").await;
    visitor.see("You do not follow #selfie any more.").await;
    stack.idle().await;
    visitor.click("Feed").await;
    visitor.see("Nothing here yet").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_moderator_hides_a_hashtag_and_shows_it_again() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let moderator = Visitor::enter(browser, &stack, "Ben Okafor").await;
    moderator.visit("#/settings/reports").await;
    moderator.click("As a moderator").await;
    moderator.see_element(".reports").await;
    moderator.visit("#/hashtags/followback").await;
    moderator.see("There is no photo with this hashtag.").await;
    moderator.click("For moderators").await;
    moderator.see_in("details .text", "Only people who trade follows use it").await;
    moderator.fill("note", "They have stopped").await;
    moderator.click("Show #followback again").await;
    moderator.see("Everybody finds #followback again.").await;
    moderator.see_in("details li:first-child", "Shown again by ben").await;
    moderator.click("Hide #followback").await;
    moderator.see_in("details li:first-child", "Hidden by ben").await;
    moderator.leave(&[]).await;
    stack.shutdown().await;
}
