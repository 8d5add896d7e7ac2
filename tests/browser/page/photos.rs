//! Photos: how one appears, is enlarged, and leads to the next one of its list.

use serde_json::json;

use super::visitor::{ESCAPE, LEFT, RIGHT, Visitor, WIDE};
use crate::browser::{start_browser, start_stack};

/// The addresses of the photos in the grid of a profile.
const ADDRESSES: &str = "[...document.querySelectorAll('.grid a')].map((link) => link.hash)";

/// The widths of the small file and of the large one, 0 while there is none.
const WIDTHS: &str = "[...document.querySelectorAll('.photo .picture img')].map(({naturalWidth}) => naturalWidth)";

/// The heights of what stands around the photo, which is in the window.
const PLACES: &str =
    "['.frame', '.photo .row'].map((part) => document.querySelector(part).getBoundingClientRect().top)";

impl Visitor {
    /// Moves a finger from the middle of an element by this number of pixels to the right.
    pub(super) async fn swipe(&self, selector: &str, by: i32) {
        let script = "const {left, width, top, height} = document.querySelector(arguments[0]).getBoundingClientRect();
            return [left + width / 2, top + height / 2]";
        let middle = self.browser.call(script, json!([selector])).await;
        let [x, y] = [0, 1].map(|index| middle[index].as_f64().unwrap());
        for (kind, moved) in [("touchStart", 0), ("touchMove", by / 2), ("touchMove", by), ("touchEnd", by)] {
            let points = if kind == "touchEnd" { json!([]) } else { json!([{"x": x + f64::from(moved), "y": y}]) };
            let event = json!({"type": kind, "touchPoints": points});
            self.browser.devtools("Input.dispatchTouchEvent", event).await;
        }
    }
}

#[tokio::test]
async fn a_swipe_goes_to_the_next_photo_and_back_and_a_short_one_nowhere() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.looks(390, "light").await;
    visitor.visit("#/users/nils").await;
    visitor.see_element(".grid li:nth-child(3) img.shown").await;
    let addresses = visitor.browser.run(&format!("return {ADDRESSES}")).await;
    let address = |index: usize| addresses[index].clone();
    visitor.browser.click(".grid a").await;
    visitor.see_element(".photo img.shown").await;
    // There is nothing before the first one.
    visitor.swipe(".frame", 150).await;
    visitor.swipe(".frame", -30).await;
    visitor.see_value("location.hash", address(0)).await;
    visitor.swipe(".frame", -150).await;
    visitor.see_value("location.hash", address(1)).await;
    visitor.see_element(".photo img.shown").await;
    visitor.browser.click(".enlarge").await;
    visitor.see_element("dialog.enlarged[open] img.shown").await;
    visitor.swipe("dialog.enlarged", -150).await;
    visitor.see_value("location.hash", address(2)).await;
    visitor.see_element("dialog.enlarged[open] img.shown").await;
    visitor.swipe("dialog.enlarged", 150).await;
    visitor.see_value("location.hash", address(1)).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_arrow_keys_go_through_the_photos_of_the_list_and_escape_closes_an_enlarged_one() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/nils").await;
    visitor.see_element(".grid li:nth-child(3) img.shown").await;
    let addresses = visitor.browser.run(&format!("return {ADDRESSES}")).await;
    // The view follows its address, and a click before that would be one on the photo before.
    let see_photo = async |index: usize| {
        visitor.see_value("location.hash", addresses[index].clone()).await;
        visitor.see_element(&format!("[aria-label='Next photo'][href={}]", addresses[index + 1])).await;
    };
    visitor.browser.click(".grid a").await;
    see_photo(0).await;
    visitor.see_element(".photo img.shown").await;
    // There is nothing before the first one. Keys may be faster than the view.
    visitor.browser.press(LEFT).await;
    visitor.browser.press(&[RIGHT, RIGHT, LEFT].concat()).await;
    see_photo(1).await;

    visitor.browser.click(".enlarge").await;
    visitor.see_element("dialog.enlarged[open] img.shown").await;
    visitor.browser.press(RIGHT).await;
    see_photo(2).await;
    visitor.see_element("dialog.enlarged[open]").await;
    visitor.browser.press(LEFT).await;
    see_photo(1).await;
    visitor.see_element("dialog.enlarged[open]").await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;
    visitor.click("Previous photo").await;
    see_photo(0).await;
    assert_eq!(visitor.count("dialog").await, 0);

    // In a field, the arrows move the cursor.
    visitor.fill("text", "Lovely").await;
    visitor.browser.press(RIGHT).await;
    visitor.browser.press(LEFT).await;
    see_photo(0).await;
    // The steps are one entry of the history, so going back leads to the list.
    visitor.browser.run("history.back()").await;
    visitor.see_in("h1", "Nils Berg").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_photo_shows_its_small_file_while_the_large_one_loads_and_nothing_moves() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/nils").await;
    visitor.see_element(".grid img.shown").await;
    visitor.browser.devtools("Network.enable", json!({})).await;
    visitor.browser.devtools("Network.setBlockedURLs", json!({"urls": ["*/medium.jpg*", "*/large.jpg*"]})).await;
    visitor.browser.click(".grid a").await;
    visitor.see_element(".photo img[alt=''].shown").await;
    visitor.see_value(WIDTHS, json!([440, 0])).await;
    let before = visitor.browser.run(&format!("return {PLACES}")).await;
    visitor.browser.devtools("Network.setBlockedURLs", json!({"urls": []})).await;
    visitor.browser.reload().await;
    visitor.see_value(&format!("{WIDTHS}[1] > 0"), json!(true)).await;
    visitor.see_value(PLACES, before).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_photo_leads_to_those_that_look_like_it_by_a_search_of_vectors() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/nils").await;
    visitor.see_element(".grid img.shown").await;
    visitor.browser.click(".grid a").await;
    visitor.see_element(".photo img.shown").await;
    let own = visitor.browser.run("return location.hash").await;
    visitor.click("Search similar photos").await;
    visitor.see_element(".grid li:nth-child(12) img.shown").await;
    let similar = visitor.browser.run(&format!("return {ADDRESSES}")).await;
    assert!(!similar.as_array().unwrap().contains(&own), "{similar}");
    visitor.see_in(".happened > li", "SearchVectors dev.Feed PhotosByLook").await;
    visitor.see_in(".happened > li .costs", "kB searched").await;
    visitor.browser.click(".happened > li .asked:nth-child(2) summary").await;
    visitor.see_in(".happened > li", "a list of numbers that say what a picture looks like").await;
    visitor.browser.click(".grid a").await;
    visitor.see_value("location.hash", similar[0].clone()).await;
    // The next photo begins with its own search.
    visitor.see_no(".grid").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_notice_covers_nothing() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    let free = "document.querySelector('.notice > div')?.getBoundingClientRect().top \
        >= document.querySelector('.view').getBoundingClientRect().bottom";
    for width in [WIDE, 390] {
        visitor.looks(width, "light").await;
        visitor.search("nils").await;
        let label = if width == 390 { "Following nils" } else { "Follow nils" };
        visitor.click(label).await;
        visitor.see_element(".notice p").await;
        visitor.see_value(free, true.into()).await;
    }
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
