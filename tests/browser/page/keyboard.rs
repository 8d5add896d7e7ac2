//! The page without a mouse.

use super::visitor::{ENTER, ESCAPE, Visitor};
use crate::browser::{start_browser, start_small_stack};

#[tokio::test]
async fn the_keyboard_alone_signs_in_opens_a_photo_reacts_and_closes_a_dialog() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see("Cara Lindqvist").await;
    visitor.tab_to("Cara Lindqvist").await;
    visitor.browser.press(ENTER).await;
    visitor.see("Nothing here yet").await;
    assert_eq!(visitor.focused().await, "Feed");

    visitor.tab_to("Find people").await;
    visitor.browser.press(ENTER).await;
    visitor.see_in("h1", "Find people").await;
    visitor.see_value("document.activeElement.type", "search".into()).await;
    visitor.browser.press("ada").await;
    visitor.see("Ada Marsh").await;
    visitor.tab_to("Ada Marsh ada").await;
    visitor.browser.press(ENTER).await;
    visitor.see_in("h1", "Ada Marsh").await;
    visitor.see_element(".grid a").await;
    let photo = visitor.browser.run("return document.querySelector('.grid img').alt").await;
    visitor.tab_to("Follow ada").await;
    visitor.browser.press(" ").await;
    visitor.see("You follow ada.").await;
    assert_eq!(visitor.focused().await, "Following ada");
    visitor.see_element(".grid img[alt]").await;
    visitor.tab_to_element(".grid a").await;
    visitor.browser.press(ENTER).await;
    visitor.see_in("h1", "Photo by Ada Marsh").await;
    assert!(!photo.as_str().unwrap().is_empty());
    assert_eq!(visitor.browser.run("return document.querySelector('.photo img:not([alt=\"\"])').alt").await, photo);
    assert_eq!(visitor.focused().await, "Photo by Ada Marsh");
    visitor.see_element(".reactions button:enabled").await;
    visitor.tab_to_element(".reactions button").await;
    visitor.browser.press(ENTER).await;
    visitor.see("Cara Lindqvist heart").await;

    visitor.visit("#/users/ada").await;
    visitor.see_element("[aria-label='Block ada']:enabled").await;
    visitor.tab_to("Block ada").await;
    visitor.browser.press(ENTER).await;
    visitor.see_element("dialog[open]").await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;
    assert_eq!(visitor.focused().await, "Block ada");
    // The focus goes back to the button that opened a dialog or, if that is gone, to the heading.
    visitor.tab_to("Report ada").await;
    visitor.browser.press(ENTER).await;
    visitor.see_element("dialog[open]").await;
    visitor.tab_to("Report").await;
    visitor.browser.press(ENTER).await;
    visitor.see_no("dialog").await;
    assert_eq!(visitor.focused().await, "Report ada");
    visitor.tab_to("Block ada").await;
    visitor.browser.press(ENTER).await;
    visitor.see_element("dialog[open]").await;
    visitor.tab_to("Block ada").await;
    visitor.browser.press(ENTER).await;
    visitor.see_element("[aria-label='Unblock ada']").await;
    assert_eq!(visitor.focused().await, "Ada Marsh");
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
