//! Links, with which people without an account see a photo or a profile.

use local::stack::Stack;
use serde_json::json;

use super::screenshots::LOADED;
use super::visitor::{Visitor, WIDE};
use crate::browser::webdriver::Browser;
use crate::browser::{start_browser, start_small_stack, start_stack};

/// A photo of ada, with a heart of cara and two comments.
const PHOTO: &str = "#/photos/ada/2024-05-30T15:42:38";

/// Lets pages write to the clipboard and read it, which Chromium asks its user for otherwise.
const CLIPBOARD: [&str; 2] = ["clipboardReadWrite", "clipboardSanitizedWrite"];

/// The share sheet of a phone. It keeps what it gets.
const SHARE_SHEET: &str = "window.shared = []; navigator.share = async (data) => { window.shared.push(data); };";

/// Returns what a page keeps, runs or loads beside its picture.
const KEPT: &str = "return [document.cookie, localStorage.length + sessionStorage.length, document.scripts.length,
    document.querySelectorAll('link[rel=stylesheet], iframe, object').length]";

impl Visitor {
    /// Signs in as ada, and opens the dialog that shares her photo.
    pub(super) async fn shares_a_photo(browser: Browser, stack: &Stack) -> Self {
        browser.devtools("Browser.grantPermissions", json!({"permissions": CLIPBOARD})).await;
        let ada = Self::enter(browser, stack, "Ada Marsh").await;
        ada.visit(PHOTO).await;
        ada.click("Share").await;
        ada.see_in("dialog", "Anybody with the link sees the photo, whatever its audience is.").await;
        ada.see_element("dialog .main:enabled").await;
        ada
    }

    /// Makes the link in the dialog that is open, or copies that which is there, and returns its
    /// address.
    pub(super) async fn copies_the_link(&self) -> String {
        self.click("Copy the link").await;
        self.see_in("dialog [role=status]", "The link is copied.").await;
        let url = self.browser.run("return navigator.clipboard.readText()").await;
        self.see_value("document.querySelector('[name=field-url]').value", url.clone()).await;
        url.as_str().unwrap().to_owned()
    }

    /// Changes the audience of the photo that shows to its owner alone. `keep` is what becomes of
    /// its link.
    async fn hides_the_photo(&self, keep: &str) {
        self.click("Edit").await;
        self.choose("audience", "Only me").await;
        self.choose("keepLink", keep).await;
        self.click("Save").await;
        self.see_in(".photo .badge", "Only me").await;
    }

    /// Opens a link in the window of somebody who has never been here. Returns the addresses of
    /// the requests that this sends.
    async fn opens(&self, url: &str) -> Vec<String> {
        self.browser.go("about:blank").await;
        self.browser.requests().await;
        self.browser.go(url).await;
        self.browser.wait_for(LOADED, json!([])).await;
        let requests = self.browser.requests().await;
        requests.into_iter().filter(|url| !url.starts_with("about:")).collect()
    }

    /// Loads the link again, which has ended.
    async fn sees_the_end(&self) {
        self.browser.reload().await;
        self.see_in("h1", "This link has ended").await;
        self.see_no("img, form").await;
    }
}

#[tokio::test]
async fn a_link_opens_in_a_private_window_by_two_requests_until_its_owner_ends_it() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::shares_a_photo(one, &stack).await;
    let url = ada.copies_the_link().await;
    ada.click("Close").await;
    ada.hides_the_photo("It stays: anybody with it sees the photo").await;

    let stranger = Visitor { browser: other };
    stranger.looks(WIDE, "light").await;
    let requests = stranger.opens(&url).await;
    assert!(requests.len() == 2 && requests[0] == url, "{requests:#?}");
    stranger.see_value("document.images[0].currentSrc", json!(requests[1])).await;
    stranger.see_in("h1", "Ada Marsh").await;
    stranger.see_in(".counts", "1 reaction · 2 comments").await;
    // The names of those who commented are not for strangers.
    assert!(!stranger.shows("body", "Ben Okafor").await && !stranger.shows("body", "pier").await);
    assert_eq!(stranger.browser.run(KEPT).await, json!(["", 0, 0, 0]));
    let alt = stranger.browser.run("return document.images[0].alt").await;
    assert!(alt.as_str().is_some_and(|alt| !alt.is_empty()), "{alt}");
    let open = stranger.browser.run("return document.querySelector('a.open').href").await;
    assert!(open.as_str().unwrap().ends_with(&format!("/#/s/{}", url.rsplit('/').next().unwrap())), "{open}");

    stranger.click("Report this").await;
    stranger.browser.run("document.querySelector('[name=reason]').value = 'nudity'").await;
    stranger.click("Report").await;
    stranger.see_in("h1", "Thank you").await;

    ada.click("Share").await;
    ada.see_value("document.querySelector('[name=field-url]')?.value", json!(url)).await;
    ada.click("End the link").await;
    ada.see("The link has ended.").await;
    ada.see_no("dialog").await;
    stranger.browser.go(&url).await;
    stranger.sees_the_end().await;
    // A moderator has the report.
    stranger.browser.go(&format!("{}/#/settings/reports", stack.api())).await;
    stranger.click("Ben Okafor").await;
    stranger.click("As a moderator").await;
    stranger.see_in(".reports", "1 report without an account about a photo Nudity").await;
    ada.leave(&["/link - Failed"]).await;
    stranger.leave(&["/s/"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn an_owner_chooses_the_end_of_a_link_and_makes_a_new_one() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::shares_a_photo(one, &stack).await;
    ada.choose("until", "For a week").await;
    let first = ada.copies_the_link().await;
    let until = "document.querySelector('[name=field-until]').selectedOptions[0].text.split(' ')[0]";
    ada.see_value(until, json!("Until")).await;
    ada.choose("until", "For a day").await;
    ada.see_in("dialog [role=status]", "The end of the link is changed.").await;
    let end = ada.browser.run("return document.querySelector('[name=field-until]').value").await;
    // The end of the link is there when its owner comes back, and when the link gets a new token.
    ada.click("Close").await;
    ada.click("Share").await;
    ada.see_value("document.querySelector('[name=field-until]')?.value", end.clone()).await;
    ada.click("Make a new link").await;
    ada.see_in("dialog [role=status]", "the old one opens nothing any more").await;
    let second = ada.copies_the_link().await;
    assert_ne!(first, second);
    ada.see_value("document.querySelector('[name=field-until]').value", end).await;
    ada.choose("until", "Until you end it").await;
    ada.see_in("dialog [role=status]", "The end of the link is changed.").await;
    ada.see_value("document.querySelector('[name=field-until]').value", json!("")).await;

    let stranger = Visitor { browser: other };
    stranger.browser.go(&first).await;
    stranger.sees_the_end().await;
    stranger.opens(&second).await;
    stranger.see_in("h1", "Ada Marsh").await;

    // A photo that only its owner may see from now on loses its link, unless the owner keeps it.
    ada.click("Close").await;
    ada.hides_the_photo("It ends, because only you may see the photo").await;
    stranger.sees_the_end().await;
    ada.leave(&["/link - Failed"]).await;
    stranger.leave(&["/s/"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_settings_list_the_links_of_photos_and_of_the_profile() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::shares_a_photo(one, &stack).await;
    let of_photo = ada.copies_the_link().await;
    ada.click("Close").await;
    ada.visit("#/users/ada").await;
    ada.click("Share your profile").await;
    ada.see_in("dialog", "Anybody with the link sees your profile and your photos for everyone.").await;
    let of_profile = ada.copies_the_link().await;
    ada.click("Close").await;

    ada.click("Settings").await;
    ada.click_beginning("Links").await;
    ada.see_in(".favorite:first-child .picture + div", &of_photo).await;
    ada.see_in(".favorite:last-child", &format!("Profile Your profile {of_profile}")).await;
    assert_eq!(ada.count(".favorite").await, 2);
    ada.click("Copy the link of Your profile").await;
    ada.see("The link is copied.").await;
    assert_eq!(ada.browser.run("return navigator.clipboard.readText()").await, json!(of_profile));

    let stranger = Visitor { browser: other };
    stranger.opens(&of_profile).await;
    stranger.see_in("h1", "Ada Marsh").await;
    stranger.see("Looking for the last light").await;
    assert_eq!(stranger.count("img:not(.portrait)").await, 2);
    assert_eq!(stranger.browser.run(KEPT).await, json!(["", 0, 0, 0]));

    ada.click("End the link of Your profile").await;
    ada.see("The link has ended.").await;
    ada.see_value("document.querySelectorAll('.favorite').length", json!(1)).await;
    ada.browser.reload().await;
    ada.see_in(".favorite", &of_photo).await;
    assert_eq!(ada.count(".favorite").await, 1);
    stranger.sees_the_end().await;
    ada.leave(&["/link - Failed"]).await;
    stranger.leave(&["/s/"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_phone_passes_a_link_to_another_app() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": SHARE_SHEET})).await;
    let ada = Visitor::shares_a_photo(browser, &stack).await;
    ada.looks(390, "light").await;
    ada.click("Share the link").await;
    ada.see_element("[name=field-url]").await;
    let url = ada.browser.run("return document.querySelector('[name=field-url]').value").await;
    ada.see_value("shared", json!([{"url": url}])).await;
    ada.click("Close").await;
    ada.visit("#/settings/links").await;
    ada.click_beginning("Share the link of").await;
    ada.see_value("shared.length", json!(2)).await;
    ada.leave(&["/link - Failed"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_app_opens_a_link_after_the_sign_in() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::shares_a_photo(one, &stack).await;
    let url = ada.copies_the_link().await;
    let token = url.rsplit('/').next().unwrap();
    ada.click("Close").await;
    ada.hides_the_photo("It stays: anybody with it sees the photo").await;

    let cara = Visitor { browser: other };
    cara.looks(WIDE, "light").await;
    cara.browser.go(&format!("{}/#/s/{token}", stack.api())).await;
    cara.click("Cara Lindqvist").await;
    cara.see_in("h1", "Photo by Ada Marsh").await;
    cara.see_element(".photo .picture img.shown").await;
    cara.see_in(".photo", "1 reaction · 2 comments").await;
    cara.see_in(".happened > li", &format!("GET /s/{token} 200")).await;
    // Without the link, the photo is not hers to see.
    cara.click("React and comment").await;
    cara.see("This photo of ada is not available.").await;
    // The owner sees the view that has everything.
    ada.visit(&format!("#/s/{token}")).await;
    ada.see_value("location.hash", json!(PHOTO)).await;
    ada.click("Share").await;
    ada.click("End the link").await;
    ada.see("The link has ended.").await;
    cara.visit(&format!("#/s/{token}")).await;
    cara.see_in("h1", "This link has ended").await;
    ada.leave(&["/link - Failed"]).await;
    cara.leave(&["/users/ada/photos/", "/s/"]).await;
    stack.shutdown().await;
}

/// Opens the newest photo that is wider than high.
const WIDE_PHOTO: &str = "
    const photos = [...document.querySelectorAll('.grid a')];
    const wide = photos.find((photo) => photo.querySelector('.picture').style.getPropertyValue('--shape') > 1);
    return wide ? wide.click() ?? true : null;";

/// Photographs the page that a stranger sees and, to look at after a change, the views of links.
#[tokio::test]
#[ignore = "it writes the files of docs/images"]
async fn screenshots_of_a_link() {
    let (Some(one), Some(other)) = (start_browser().await, start_browser().await) else { return };
    let stack = start_stack(None).await;
    one.devtools("Browser.grantPermissions", json!({"permissions": CLIPBOARD})).await;
    let nils = Visitor::enter(one, &stack, "Nils Berg").await;
    nils.visit("#/users/nils").await;
    nils.browser.wait_for(WIDE_PHOTO, json!([])).await;
    nils.click("Share").await;
    let url = nils.copies_the_link().await;
    nils.photograph_into("target/screenshots", "share-phone", 390).await;
    nils.click("Close").await;
    nils.visit("#/settings/links").await;
    nils.see_element(".favorite img.shown").await;
    nils.photograph_into("target/screenshots", "links-phone", 390).await;
    nils.visit("#/users/nils").await;
    nils.click("Share your profile").await;
    let profile = nils.copies_the_link().await;
    nils.leave(&["/link - Failed"]).await;

    let stranger = Visitor { browser: other };
    stranger.opens(&url).await;
    stranger.photograph_for_a_page("link").await;
    stranger.opens(&profile).await;
    stranger.photograph_into("target/screenshots", "profile-link-phone", 390).await;
    stranger.leave(&[]).await;
    stack.shutdown().await;
}
