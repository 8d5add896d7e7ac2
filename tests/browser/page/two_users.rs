//! Two users in two windows.

use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack};

/// The newest action of the right side.
const NEWEST: &str = ".happened > li";

#[tokio::test]
async fn two_users_see_what_the_other_one_does_and_their_own_actions_first() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let (ada, cara) =
        (Visitor::enter(one, &stack, "Ada Marsh").await, Visitor::enter(other, &stack, "Cara Lindqvist").await);
    ada.visit("#/users/ada").await;
    ada.see("1 follower ").await;
    // The names of the tags come after the favorites.
    ada.click("Favorites").await;
    ada.see_in(NEWEST, "GET /users/me/").await;

    cara.visit("#/users/ada").await;
    cara.click("Follow ada").await;
    cara.see("2 followers").await;
    cara.see_in(NEWEST, "PUT /users/ada/followers/me 201").await;
    cara.visit("#/photos/ada/2024-05-30T15:42:38").await;
    cara.click("smile, 0").await;
    cara.click("smile, 1").await;
    // The page reads the photo again after that, because it is live.
    cara.see_in(".happened", "DELETE /users/ada/photos/2024-05-30T15:42:38/reactions/smiley 204").await;
    cara.click("thumbs up, 0").await;
    cara.see_in(".happened", "PUT /users/ada/photos/2024-05-30T15:42:38/reactions/%2B1 201").await;

    // The window of ada has her own action first. Those of cara wait.
    ada.see_in(NEWEST, "GET /users/me/").await;
    ada.browser.click(".status button").await;
    ada.see_in(".happened", "reactions/%2B1 201").await;

    ada.click_beginning("Your profile").await;
    ada.see("2 followers").await;
    ada.see_in(NEWEST, "GET /users/ada/profile").await;
    ada.visit("#/photos/ada/2024-05-30T15:42:38").await;
    ada.click("thumbs up, 1").await;
    ada.see_in(".reactions", "1 2 0 0").await;
    cara.browser.reload().await;
    cara.see("Ada Marsh thumbs up").await;
    cara.see_in(NEWEST, "GET /users/ada/photos/2024-05-30T15:42:38").await;
    for visitor in [ada, cara] {
        visitor.leave(&[]).await;
    }
    stack.shutdown().await;
}
