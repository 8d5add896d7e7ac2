//! The bell and the inbox.

use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack};

#[tokio::test]
async fn the_bell_counts_what_is_new_in_every_window() {
    let (Some(one), Some(two), Some(other)) = (start_browser().await, start_browser().await, start_browser().await)
    else {
        return;
    };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(one, &stack, "Ada Marsh").await;
    // What she has not seen of the seed data.
    ada.see_element("[aria-label^='Notifications, ']").await;
    ada.visit("#/notifications").await;
    ada.see_in(".notifications", "Cara Lindqvist reacted to your photo").await;
    ada.see_in(".notifications", "Ben Okafor commented on your photo").await;
    ada.see_in(".notifications .beginning", "Where is this, @ada?").await;
    for part in [".portrait", ".thumbnail img"] {
        ada.see_element(&format!(".notifications .new {part}")).await;
    }
    ada.see_element("[aria-label=Notifications]").await;
    ada.browser.reload().await;
    ada.see_element("[aria-label=Notifications]").await;

    let again = Visitor::enter(two, &stack, "Ada Marsh").await;
    again.see_element("[aria-label=Notifications]").await;
    let cara = Visitor::enter(other, &stack, "Cara Lindqvist").await;
    cara.visit("#/users/ada").await;
    cara.click("Follow ada").await;
    for window in [&ada, &again] {
        window.see_element("[aria-label='Notifications, 1 new']").await;
    }
    // The number stands beside the bell.
    let beside = r#"const [bell, count] = ["svg", ".count"].map((part) => document.querySelector(`.bell ${part}`).getBoundingClientRect());
        return bell.right <= count.left"#;
    assert_eq!(again.browser.run(beside).await, true);
    again.visit("#/notifications").await;
    again.see_in(".pages .new", "Cara Lindqvist").await;
    for window in [&ada, &again] {
        window.see_element("[aria-label=Notifications]").await;
    }
    for visitor in [ada, again, cara] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}
