//! Photos of several pictures: their upload, their order, and the removal of one.

use serde_json::json;

use super::pictures::{picture, write};
use super::visitor::{LEFT, RIGHT, Visitor};
use crate::browser::{start_browser, start_small_stack, start_stack};

/// The text alternative of the picture that shows.
const ALT: &str = "document.querySelector('.frame img.shown:last-of-type')?.alt";

/// The addresses of the photos in the grid of a profile.
const ADDRESSES: &str = "[...document.querySelectorAll('.grid a')].map((link) => link.hash)";

impl Visitor {
    /// Opens the first photo of several pictures in the grid of a user.
    pub(super) async fn opens_several(&self, user: &str) {
        self.visit(&format!("#/users/{user}")).await;
        self.see_element(".grid .place").await;
        self.browser.run("document.querySelector('.grid li:has(.place) a').click()").await;
        self.see_in(".frame .place", "1 of 3").await;
        self.see_element(".frame img.shown:last-of-type").await;
    }
}

#[tokio::test]
async fn several_files_become_one_photo_and_a_rejected_one_is_replaced_or_left_out() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    let folder = tempfile::tempdir().unwrap();
    let noise = write(folder.path(), "noise.png", &picture());
    let other = write(folder.path(), "other.png", &picture());
    let letters = ["letter.jpg", "bill.jpg"].map(|name| write(folder.path(), name, b"Dear photo"));
    let [letter, bill] = letters;

    visitor.choose_files("[type=file]", &[letter, noise, bill]).await;
    visitor.see_element("dialog .order li:nth-child(3)").await;
    visitor.fill("altText1", "Noise").await;
    visitor.click("Move up noise.png").await;
    visitor.see("noise.png is number 1 of 3.").await;
    assert_eq!(visitor.focused().await, "Move down noise.png", "the button that moved it can do no more");
    visitor.click("Upload").await;
    visitor.see_in(".uploads .incomplete", "Not ready").await;
    visitor.see_in(".uploads li", "letter.jpg: The file is no JPEG, PNG or WebP picture").await;
    visitor.click("Leave out bill.jpg").await;
    visitor.see_no(".uploads li li:nth-child(2)").await;
    visitor.see_in(".uploads .incomplete", "Not ready").await;
    visitor.choose_files(".uploads [type=file]", &[other]).await;
    visitor.see_in(".uploads .ready", "Ready").await;

    visitor.click("See photo").await;
    visitor.see_in(".frame .place", "1 of 2").await;
    visitor.see_value(ALT, json!("Noise")).await;
    visitor.visit("#/users/cara").await;
    visitor.see_in(".grid .place", "2").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn several_files_become_a_photo_each_if_the_user_wants_it() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    let folder = tempfile::tempdir().unwrap();
    let files = ["noise.png", "other.png"].map(|name| write(folder.path(), name, &picture()));
    visitor.choose_files("[type=file]", &files).await;
    visitor.see_element("dialog .order").await;
    visitor.choose("together", "A photo of each").await;
    visitor.see_no("dialog .order").await;
    visitor.fill("caption1", "The other one").await;
    visitor.click("Upload").await;
    visitor.see_element(".uploads > ul > li:nth-child(2) .ready").await;
    visitor.see_element(".uploads > ul > li:nth-child(1) .ready").await;
    visitor.visit("#/users/cara").await;
    visitor.see_element(".grid li:nth-child(2)").await;
    visitor.see_no(".grid .place").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn keys_buttons_and_a_finger_go_through_the_pictures_before_they_lead_to_another_photo() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.opens_several("greta").await;
    let here = visitor.browser.run("return location.hash").await;
    let first = visitor.browser.run(&format!("return {ALT}")).await;
    visitor.browser.press(RIGHT).await;
    visitor.see_in(".frame .place", "2 of 3").await;
    visitor.click("Next picture").await;
    visitor.see_in(".frame .place", "3 of 3").await;
    visitor.browser.press(LEFT).await;
    visitor.browser.press(LEFT).await;
    visitor.see_in(".frame .place", "1 of 3").await;
    visitor.see_value(ALT, first).await;
    visitor.swipe(".frame", -150).await;
    visitor.see_in(".frame .place", "2 of 3").await;
    visitor.browser.click(".enlarge").await;
    visitor.see_element("dialog.enlarged[open] img.shown").await;
    visitor.see_in("dialog.enlarged .place", "2 of 3").await;
    visitor.browser.press(RIGHT).await;
    visitor.see_in("dialog.enlarged .place", "3 of 3").await;
    visitor.see_value("location.hash", here.clone()).await;

    visitor.visit("#/users/greta").await;
    visitor.see_element(".grid .place").await;
    let addresses = visitor.browser.run(&format!("return {ADDRESSES}")).await;
    let at = addresses.as_array().unwrap().iter().position(|address| *address == here).unwrap();
    visitor.opens_several("greta").await;
    visitor.browser.press(&[RIGHT, RIGHT].concat()).await;
    visitor.see_in(".frame .place", "3 of 3").await;
    visitor.browser.press(RIGHT).await;
    visitor.see_value("location.hash", addresses[at + 1].clone()).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_owner_orders_the_pictures_describes_them_and_removes_one() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.opens_several("cara").await;
    visitor.click("Edit").await;
    visitor.fill("altText3", "The third").await;
    visitor.click("Move up picture 3").await;
    visitor.click("Move up picture 3").await;
    visitor.click("Remove picture 2").await;
    visitor.see_no("dialog .order li:nth-child(3)").await;
    visitor.click("Save").await;
    visitor.see("The photo is changed.").await;
    visitor.see_in(".frame .place", "1 of 2").await;
    visitor.see_value(ALT, json!("The third")).await;
    visitor.browser.reload().await;
    visitor.see_in(".frame .place", "1 of 2").await;
    visitor.see_value(ALT, json!("The third")).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_moderator_removes_one_of_several_pictures_and_takes_it_back() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.opens_several("greta").await;
    let here = visitor.browser.run("return location.hash").await;
    visitor.click("Report the photo").await;
    visitor.click("Report").await;
    visitor.see("Thank you.").await;
    visitor.visit("#/settings/reports").await;
    visitor.click("As a moderator").await;
    visitor.see_element(".choice li:nth-child(3)").await;
    visitor.click("Picture 2").await;
    visitor.click_beginning("Remove the chosen pictures").await;
    visitor.see("These pictures are removed.").await;
    visitor.visit(here.as_str().unwrap()).await;
    visitor.see_in(".frame .place", "1 of 2").await;
    visitor.visit("#/settings/reports?state=partly-removed").await;
    visitor.click_beginning("Take back the decision").await;
    visitor.see("The decision is taken back.").await;
    visitor.opens_several("greta").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
