//! Tests the audience of a photo, mutes, blocks and reports on the page.

use serde_json::json;

use super::pictures::picture;
use super::visitor::{ESCAPE, Visitor};
use crate::browser::{start_browser, start_small_stack};

/// The audience that the upload or the edit of a photo offers, as soon as it can be changed.
const CHOSEN: &str = "document.querySelector('dialog [name=field-audience]:enabled')?.value";

impl Visitor {
    /// Changes the audience of the photo that shows.
    async fn restrict(&self, audience: &str) {
        self.click("Edit").await;
        self.choose("audience", audience).await;
        self.click("Save").await;
    }

    /// Marks the photo of ada as sensitive, as ada.
    pub(super) async fn marks_its_photo_as_sensitive(&self, reason: &str) {
        self.visit("#/photos/ada/2024-05-30T15:42:38").await;
        self.click("Edit").await;
        self.choose("sensitive", reason).await;
        self.click("Save").await;
        self.see(&format!("Sensitive: {reason}")).await;
    }

    /// Loads a profile again, and checks the number of its photos and the first label of an
    /// audience among them.
    async fn sees_photos_of(&self, user: &str, number: u64, label: Option<&str>) {
        self.visit(&format!("#/users/{user}")).await;
        self.browser.reload().await;
        self.see_element(".pages:not([aria-busy=true]) .grid").await;
        assert_eq!(self.count(".grid li").await, number);
        match label {
            Some(label) => self.see_in(".grid .picture .badge", label).await,
            None => self.see_no(".grid .picture .badge").await,
        }
    }
}

#[tokio::test]
async fn a_photo_has_the_audience_of_the_profile_until_its_owner_chooses_another_one() {
    let (Some(one), Some(other), Some(third)) = (start_browser().await, start_browser().await, start_browser().await)
    else {
        return;
    };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    let follower = Visitor::enter(other, &stack, "Ben Okafor").await;
    let stranger = Visitor::enter(third, &stack, "Cara Lindqvist").await;
    stranger.visit("#/users/ada").await;
    stranger.see_element(".grid li").await;
    let photos = stranger.count(".grid li").await;

    ada.visit("#/users/ada").await;
    ada.click("Edit profile").await;
    ada.choose("defaultAudience", "Followers").await;
    ada.click("Save").await;
    ada.see("Your profile is saved.").await;
    ada.browser.reload().await;
    ada.see_value("document.querySelector('[name=field-defaultAudience]')?.value", json!("followers")).await;
    ada.drop("photo-of-noise.png", "image/png", &picture()).await;
    ada.see_value(CHOSEN, json!("followers")).await;
    ada.choose("audience", "Only me").await;
    ada.click("Upload").await;
    ada.see_in(".uploads .ready", "Ready").await;
    ada.sees_photos_of("ada", photos + 1, Some("Only me")).await;
    follower.sees_photos_of("ada", photos, None).await;

    ada.browser.click(".grid a").await;
    ada.browser.click(".enlarge").await;
    ada.see_in("dialog.enlarged .badge", "Only me").await;
    ada.browser.press(ESCAPE).await;
    ada.restrict("Followers").await;
    ada.see_in(".photo .badge", "Followers").await;
    // Only a change of a text makes a photo an edited one.
    ada.browser.reload().await;
    ada.see_in(".photo .badge", "Followers").await;
    assert!(!ada.shows(".photo", "edited").await);
    follower.sees_photos_of("ada", photos + 1, Some("Followers")).await;
    stranger.sees_photos_of("ada", photos, None).await;

    // The picture of the profile is for everyone.
    ada.click("Pin to my profile").await;
    ada.see_in(".notice", "whose audience is everyone").await;
    ada.restrict("Everyone").await;
    ada.see_no(".photo .badge").await;
    ada.click("Pin to my profile").await;
    ada.see("This photo is the picture of your profile.").await;
    ada.restrict("Only me").await;
    ada.see_in("dialog", "This photo is the picture of your profile, which everyone sees.").await;
    stranger.sees_photos_of("ada", photos + 1, None).await;
    ada.leave(&["/users/me - Failed", "/users/ada/photos/"]).await;
    for visitor in [follower, stranger] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}

#[tokio::test]
async fn a_mute_empties_the_feed_until_it_ends() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let cara = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    cara.visit("#/users/ada").await;
    cara.see_element("[aria-label='Block ada']:enabled").await;
    cara.see_no("[aria-label='Mute ada']").await;
    cara.click("Follow ada").await;
    cara.see("You follow ada.").await;
    stack.idle().await;
    cara.click("Feed").await;
    cara.see_in(".cards", "Ada Marsh").await;
    cara.visit("#/users/ada").await;
    cara.click("Mute ada").await;
    cara.see("You mute ada. Your feed leaves out their photos.").await;
    cara.browser.reload().await;
    cara.see_element("[aria-label='Following ada']").await;
    cara.click("Unmute ada").await;
    cara.click("Mute ada").await;
    cara.see_element("[aria-label='Unmute ada']").await;
    cara.click("Feed").await;
    cara.see("Nothing here yet").await;

    cara.click("Settings").await;
    cara.click_beginning("Blocked and muted").await;
    cara.see_in(".person", "Ada Marsh").await;
    cara.click("Unmute ada").await;
    cara.see("You do not mute ada any more.").await;
    cara.see("Nobody else.").await;
    cara.click("Feed").await;
    cara.see_in(".cards", "Ada Marsh").await;
    cara.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_user_who_is_blocked_sees_no_such_user_and_follows_nobody_afterwards() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ben = Visitor::enter(one, &stack, "Ben Okafor").await;
    ben.visit("#/users/ada").await;
    ben.see_element("[aria-label='Following ada']").await;

    let ada = Visitor::enter(other, &stack, "Ada Marsh").await;
    ada.visit("#/users/ben").await;
    ada.see("Follows you").await;
    ada.see("1 following").await;
    ada.click("Block ben").await;
    ada.see_in("dialog", "ben will see neither you nor your photos").await;
    ada.browser.press(ESCAPE).await;
    ada.see_no("dialog").await;
    ada.click("Block ben").await;
    ada.browser.click("dialog .main").await;
    ada.see("You block ben").await;
    ada.see("0 following").await;
    for gone in ["Follow ben", "Block ben"] {
        ada.see_no(&format!("[aria-label='{gone}']")).await;
    }
    ben.browser.reload().await;
    ben.see_in("h1", "There is no user ada").await;
    ben.see_no("[aria-label$=' ada']:not(.top *)").await;

    ada.click("Unblock ben").await;
    ada.see("You do not block ben any more.").await;
    ada.see_value("document.activeElement.innerText", json!("Ben Okafor")).await;
    ada.see_element("[aria-label='Follow ben']:enabled").await;
    ada.click("Block ben").await;
    ada.browser.click("dialog .main").await;
    ada.see_element("[aria-label='Unblock ben']").await;
    ada.click_beginning("Your profile").await;
    ada.see("0 followers").await;
    ada.click("Settings").await;
    ada.click_beginning("Blocked and muted").await;
    ada.see_in(".person", "Ben Okafor").await;
    ada.click("Unblock ben").await;
    ada.see("Nobody else.").await;
    ben.browser.reload().await;
    ben.see_in("h1", "Ada Marsh").await;
    ben.see_element("[aria-label='Follow ada']:enabled").await;
    ada.leave(&[]).await;
    ben.leave(&["/users/ada/profile"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_moderator_removes_a_reported_photo_and_a_comment_and_shows_them_again() {
    let (Some(one), Some(other), Some(third)) = (start_browser().await, start_browser().await, start_browser().await)
    else {
        return;
    };
    let stack = start_small_stack().await;
    let cara = Visitor::enter(one, &stack, "Cara Lindqvist").await;
    let ada = Visitor::enter(other, &stack, "Ada Marsh").await;
    let moderator = Visitor::enter(third, &stack, "Ben Okafor").await;
    let photo = "#/photos/ada/2024-05-30T15:42:38";
    cara.visit(photo).await;
    cara.click("Report the photo").await;
    cara.choose("reason", "Nudity").await;
    cara.fill("text", "Look at the left side").await;
    cara.click("Report").await;
    cara.see("Thank you. A moderator will look at it.").await;
    cara.click("Report the photo").await;
    cara.click("Report").await;
    cara.see("You have reported this already.").await;
    cara.click("Report the comment of ada").await;
    cara.click("Report").await;
    cara.see("Thank you. A moderator will look at it.").await;

    moderator.click("Settings").await;
    moderator.click_beginning("Reports").await;
    moderator.see("Moderators decide about what people report.").await;
    moderator.click("As a moderator").await;
    moderator.see_in(".reports", "Look at the left side").await;
    moderator.see_in(".reports blockquote", "On the pier, @ben, just after nine").await;
    // The field of the last report, which is that about the comment.
    moderator.fill("note", "The third time this week").await;
    moderator.click_beginning("Remove the comment ada~").await;
    moderator.see("It is removed. Its owner sees why.").await;
    moderator.click("Remove the photo ada~2024-05-30T15:42:38").await;
    moderator.see("No reports here.").await;

    ada.visit(photo).await;
    ada.see_in(".photo .badge", "Removed").await;
    ada.see("A moderator has removed this photo: Nudity. Only you see it.").await;
    ada.see("A moderator has removed this comment: Advertising or spam. Only you see it.").await;
    ada.click("Delete the comment of ada").await;
    ada.browser.press(ESCAPE).await;
    cara.browser.reload().await;
    cara.see("This photo of ada is not available.").await;

    moderator.choose("state", "Removed").await;
    moderator.click("History of ada~2024-05-30T15:42:38").await;
    moderator.see_in(".reports details", "Removed: Nudity by ben, just now").await;
    moderator.click_beginning("History of ada~2024-05-30T15:42:38~").await;
    moderator.see_in(".reports > :last-child details", "Removed: Advertising or spam by ben, just now").await;
    moderator.see_in(".reports > :last-child details", "The third time this week").await;
    moderator.click("Take back the decision about ada~2024-05-30T15:42:38").await;
    moderator.see("The decision is taken back. The report is open.").await;
    cara.browser.reload().await;
    cara.see("Where is this, @ada?").await;
    moderator.choose("state", "Open").await;
    moderator.click("History of ada~2024-05-30T15:42:38").await;
    moderator.see_in(".reports details", "Taken back by ben").await;
    moderator.see_in(".reports details", "Removed: Nudity by ben").await;
    moderator.click("Dismiss ada~2024-05-30T15:42:38").await;
    moderator.see("The report is dismissed.").await;
    cara.see_no("[aria-label='Report the comment of ada']").await;
    cara.leave(&["/users/ada/photos/"]).await;
    ada.leave(&[]).await;
    moderator.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_sensitive_photo_is_blurred_until_its_viewer_shows_it() {
    let (Some(one), Some(other), Some(third)) = (start_browser().await, start_browser().await, start_browser().await)
    else {
        return;
    };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    let cara = Visitor::enter(other, &stack, "Cara Lindqvist").await;
    let moderator = Visitor::enter(third, &stack, "Ben Okafor").await;
    let photo = "#/photos/ada/2024-05-30T15:42:38";
    ada.marks_its_photo_as_sensitive("Spoiler").await;
    ada.see_element(".frame img.shown").await;

    cara.visit("#/users/ada").await;
    cara.see_in(".grid .picture .badge", "Sensitive: Spoiler").await;
    cara.see_element(".grid li:not(:has(.picture .badge)) img.shown").await;
    cara.see_no(".grid li:has(.picture .badge) img").await;
    cara.visit(photo).await;
    cara.see_in(".frame .badge", "Sensitive: Spoiler").await;
    cara.see_no(".frame img, .enlarge").await;
    cara.click("Show the sensitive photo").await;
    cara.see_element(".frame img.shown").await;
    cara.click("Report the photo").await;
    cara.click("Report").await;
    cara.see("Thank you. A moderator will look at it.").await;

    moderator.visit("#/settings/reports").await;
    moderator.click("As a moderator").await;
    moderator.see_element(".reports .picture img.shown").await;
    moderator.choose("sensitive", "Injury or illness").await;
    moderator.click("Mark as sensitive ada~2024-05-30T15:42:38").await;
    moderator.see("It is marked as sensitive.").await;
    moderator.choose("state", "Marked as sensitive").await;
    moderator.see_in(".reports .chip:last-child", "Sensitive: Injury or illness").await;
    moderator.click("History of ada~2024-05-30T15:42:38").await;
    moderator.see_in(".reports details", "Marked as sensitive: Injury or illness by ben, just now").await;

    ada.browser.reload().await;
    ada.see("A moderator has marked it as sensitive: Injury or illness").await;
    ada.click("Edit").await;
    ada.see_element("dialog [name=field-audience]").await;
    ada.see_no("dialog [name=field-sensitive]").await;
    ada.browser.press(ESCAPE).await;

    cara.visit("#/settings/profile").await;
    cara.choose("sensitivePhotos", "Shown").await;
    cara.click("Save").await;
    cara.see("Your profile is saved.").await;
    cara.visit(photo).await;
    cara.browser.reload().await;
    cara.see("A moderator has marked it as sensitive: Injury or illness").await;
    cara.see_element(".frame img.shown").await;
    for visitor in [cara, ada, moderator] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}
