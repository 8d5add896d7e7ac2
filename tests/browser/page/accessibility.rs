//! The page under [axe-core](https://github.com/dequelabs/axe-core), which finds what a screen
//! reader, a keyboard or weak eyes cannot use. The environment variable `QUICK_PHOTOS_AXE` is the
//! path of its `axe.min.js`, of the package in package.json. Without it, the tests pass and say so.

use std::fs;

use serde_json::{Value, json};
use tests::tools::tool;

use super::pictures::{picture, write};
use super::visitor::{ESCAPE, Visitor, WIDE};
use crate::browser::api_page::show_operation;
use crate::browser::{start_browser, start_stack};

/// The widths of phones, of a small window that shows both sides, and of a desk.
const WIDTHS: [u32; 4] = [360, 390, 1024, WIDE];

/// Returns what is wider than its place: a page, a side of it, or a dialog. A page other than the
/// API page and that of a link is not higher than the window either.
const OVERFLOW: &str = r#"
    const places = [...document.querySelectorAll("html, header, .view, .inspector, dialog[open]")];
    const isLong = document.querySelector(".reference, body > main");
    const large = places.filter((place) => place.scrollWidth > place.clientWidth
      || !isLong && place.matches("html") && place.scrollHeight > place.clientHeight);
    return large.map(({className, tagName, scrollWidth, clientWidth, scrollHeight}) =>
      [tagName, className, scrollWidth, clientWidth, scrollHeight]);"#;

/// Returns the words that break into lines, other than between the parts of a path, a query, a range
/// or JSON. Keys and code may.
const BROKEN_WORDS: &str = r#"
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    const found = [];
    for (let text; text = walker.nextNode();) {
      if (text.parentElement.closest("code, pre, .unseen") || !text.parentElement.checkVisibility()) continue;
      for (const {0: word, index} of text.data.matchAll(/[^\s\/?&={}":,–-]+/g)) {
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({top}) => top));
        if (lines.size > 1) found.push(word);
      }
    }
    return found;"#;

/// Runs axe, with a rule that is not on by default: a label contains the text that a control shows,
/// so that its name can be spoken. Returns what it finds, without the code and tables in Scalar,
/// which scroll: browsers take a key for that although they have no `tabindex`.
const RUN: &str = r#"
    const rules = {"label-content-name-mismatch": {enabled: true}};
    const isLacking = (id, html) => id === "scrollable-region-focusable" && /^<(code|table)/.test(html);
    // A window shows its new width in the next frame, and Scalar its colors after that, by transitions.
    const scalar = document.querySelector(".reference");
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ends = (animation) => animation.effect.getComputedTiming().endTime < Infinity;
    const isChanging = () => document.body.matches(".dark-mode") !== isDark || document.getAnimations().some(ends);
    const drawn = async () => {
      do for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
      while (scalar && isChanging());
    };
    return drawn().then(() => axe.run(document, {resultTypes: ["violations"], rules})).then(({violations}) =>
      violations.flatMap(({id, nodes}) => nodes.filter(({html}) => !isLacking(id, html))
        .map(({html, failureSummary}) => [id, html, failureSummary])));"#;

/// Shows all items of the requests that are open.
const SHOW_ALL: &str = r#"
    for (const button of document.querySelectorAll(".asked button")) if (button.innerText.endsWith(" more")) button.click();"#;

/// A visitor who checks each view with axe.
struct Auditor {
    visitor: Visitor,
    axe: String,
    findings: Vec<Value>,
}

/// Returns axe, or `None` without it.
fn axe() -> Option<String> {
    let path = tool("QUICK_PHOTOS_AXE")?;
    Some(fs::read_to_string(path).expect("QUICK_PHOTOS_AXE is the path of axe.min.js"))
}

impl Auditor {
    fn new(visitor: Visitor, axe: String) -> Self {
        Self { visitor, axe, findings: vec![] }
    }

    /// Waits until this text shows, and checks the view.
    async fn check(&mut self, text: &str) {
        self.visitor.see(text).await;
        self.visitor.see_no(".pages[aria-busy=true]").await;
        self.visitor.see_element("h1").await;
        self.examine(text).await;
    }

    /// Checks what shows: that nothing is too wide and no word breaks at any width, and the rules
    /// of axe on a phone and a desk, and in both color schemes.
    async fn examine(&mut self, text: &str) {
        if self.visitor.browser.run("return typeof axe").await == "undefined" {
            self.visitor.browser.run(&self.axe).await;
        }
        for width in WIDTHS {
            self.visitor.looks(width, "light").await;
            self.find(text, width, "light", OVERFLOW).await;
            self.find(text, width, "light", BROKEN_WORDS).await;
        }
        // The colors do not depend on the width.
        for (width, scheme) in [(WIDTHS[0], "dark"), (WIDE, "dark"), (WIDE, "light")] {
            self.visitor.looks(width, scheme).await;
            self.find(text, width, scheme, RUN).await;
        }
        self.visitor.looks(WIDE, "light").await;
    }

    async fn find(&mut self, text: &str, width: u32, scheme: &str, script: &str) {
        let found = self.visitor.browser.run(script).await;
        self.findings.extend(found.as_array().unwrap().iter().map(|finding| json!([text, width, scheme, finding])));
    }

    /// Goes to a view and checks it when this text shows.
    async fn check_view(&mut self, view: &str, text: &str) {
        self.visitor.visit(view).await;
        self.check(text).await;
    }

    async fn leave(self, expected: &[&str]) {
        self.visitor.leave(expected).await;
        assert!(self.findings.is_empty(), "{} findings: {:#?}", self.findings.len(), self.findings);
    }
}

#[tokio::test]
async fn the_views_of_photos_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::open(browser, &stack).await, axe);
    auditor.visitor.see_element(".rows .picture img.shown").await;
    auditor.visitor.click("Somebody new, an editor or a moderator").await;
    auditor.check("Cara Lindqvist").await;
    auditor.visitor.click("Cara Lindqvist").await;
    auditor.check("Feed").await;
    auditor.visitor.search("nils").await;
    auditor.visitor.click("Follow nils").await;
    auditor.check("1 result").await;
    stack.idle().await;
    auditor.visitor.visit("#/feed").await;
    auditor.visitor.see_element(".cards .picture img.shown").await;
    auditor.check("Nils Berg").await;
    auditor.visitor.visit("#/explore").await;
    auditor.visitor.see_element(".grid a").await;
    auditor.check("Explore").await;
    auditor.check_view("#/users/nils", "Following").await;
    auditor.visitor.browser.click(".grid a").await;
    auditor.check("Photo by Nils Berg").await;
    auditor.visitor.browser.click(".enlarge").await;
    auditor.check("Close").await;
    auditor.visitor.browser.press(ESCAPE).await;
    auditor.check_view("#/photos/ada/2024-05-30T15:42:38", "Where is this, @ada?").await;
    auditor.visitor.click("Search similar photos").await;
    auditor.visitor.see_element("h2 + .pages .grid a").await;
    auditor.check("Looks like this").await;
    auditor.check_view("#/users/greta/followers", "Followers of greta").await;
    auditor.check_view("#/users/greta/following", "Followed by greta").await;
    auditor.check_view("#/users/nobody", "There is no").await;
    auditor.visitor.visit("#/users/cara").await;
    auditor.visitor.upload("letter.jpg", "image/jpeg", b"Dear photo").await;
    auditor.visitor.see("Rejected").await;
    auditor.visitor.drop("noise.png", "image/png", &picture()).await;
    auditor.check("Caption of noise.png").await;
    auditor.visitor.click("Upload").await;
    auditor.visitor.see_in(".uploads .ready", "Ready").await;
    auditor.check("See photo").await;
    auditor.visitor.click("See photo").await;
    auditor.visitor.click("Edit").await;
    auditor.check("Who may see it").await;
    auditor.visitor.browser.press(ESCAPE).await;
    auditor.visitor.fill("text", "Mine, @ada").await;
    auditor.visitor.click("Send").await;
    auditor.visitor.click("Edit the comment of cara").await;
    auditor.check("Delete the comment").await;
    auditor.leave(&["/users/nobody/profile"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_views_of_photos_of_several_pictures_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Cara Lindqvist").await, axe);
    auditor.visitor.opens_several("cara").await;
    auditor.check("Photo by Cara Lindqvist").await;
    auditor.visitor.click("Next picture").await;
    auditor.visitor.see_in(".frame .place", "2 of 3").await;
    auditor.check("Photo by Cara Lindqvist").await;
    auditor.visitor.click("Edit").await;
    auditor.check("Move up").await;
    auditor.visitor.browser.press(ESCAPE).await;
    let folder = tempfile::tempdir().unwrap();
    let files = [write(folder.path(), "noise.png", &picture()), write(folder.path(), "letter.jpg", b"Dear photo")];
    auditor.visitor.choose_files("[type=file]", &files).await;
    auditor.check("What becomes of them").await;
    auditor.visitor.click("Upload").await;
    auditor.visitor.see_in(".uploads .incomplete", "Not ready").await;
    auditor.check("Leave out").await;
    auditor.visitor.opens_several("greta").await;
    auditor.visitor.click("Report the photo").await;
    auditor.visitor.click("Report").await;
    auditor.visitor.see("Thank you.").await;
    auditor.visitor.visit("#/settings/reports").await;
    auditor.visitor.click("As a moderator").await;
    auditor.visitor.see_element(".choice li:nth-child(3)").await;
    auditor.check("To remove single pictures").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_views_of_sensitive_photos_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Ben Okafor").await, axe);
    auditor.check_view("#/users/cara", "Sensitive: Spoiler").await;
    auditor.visitor.browser.run("document.querySelector('.grid li:has(.badge:not(.place)) a').click()").await;
    auditor.check("Show the sensitive photo").await;
    auditor.visitor.click("Show the sensitive photo").await;
    auditor.visitor.see_element(".frame img.shown").await;
    auditor.check("Sensitive: Spoiler").await;
    auditor.visitor.visit("#/settings/reports").await;
    auditor.visitor.click("As a moderator").await;
    auditor.visitor.choose("state", "Marked as sensitive").await;
    auditor.check("Sensitive: Injury or illness").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_views_of_favorites_and_catalogues_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Ada Marsh").await, axe);
    auditor.check_view("#/favorites", "Take out").await;
    auditor.visitor.browser.click(".favorite button").await;
    auditor.check("Tags of “").await;
    auditor.visitor.browser.press(ESCAPE).await;
    auditor.visitor.click("Add").await;
    auditor.check("Add a favorite").await;
    auditor.visitor.browser.press(ESCAPE).await;
    auditor.check_view("#/tags", "last used").await;
    for (kind, text) in [("Songs", "SongTitle"), ("Albums", "AlbumTitle"), ("People", "PersonID")] {
        auditor.check_view(&format!("#/catalogue/{kind}"), text).await;
    }
    auditor.visitor.click("Editor").await;
    auditor.visitor.click("New").await;
    auditor.check("DynamoDB JSON").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_views_of_the_settings_and_of_notifications_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Ben Okafor").await, axe);
    auditor.check_view("#/settings", "3 waiting for your answer").await;
    auditor.check_view("#/settings/profile", "Only you see your e-mail address").await;
    auditor.check_view("#/settings/requests", "Decline").await;
    auditor.check_view("#/users/ben/followers", "Remove").await;
    auditor.visitor.turns_push_on(&stack).await;
    auditor.check("You are told when somebody").await;
    auditor.check_view("#/settings/data", "Make an export").await;
    auditor.check_view("#/notifications", "reacted to your photo").await;
    auditor.visitor.visit("#/users/nils").await;
    auditor.visitor.click("Block nils").await;
    auditor.check("Block nils?").await;
    auditor.visitor.browser.click("dialog .main").await;
    auditor.check("You block nils").await;
    auditor.check_view("#/settings/blocks", "Unblock").await;
    auditor.check_view("#/unknown", "There is no such page").await;
    auditor.check_view("#/settings/delete", "Type ben").await;
    auditor.visitor.fill("username", "ben").await;
    auditor.visitor.click("Delete my account").await;
    auditor.check("Ben Okafor is gone").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_pages_of_links_have_no_findings() {
    let (Some(axe), Some(one), Some(other)) = (axe(), start_browser().await, start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut ada = Auditor::new(Visitor::shares_a_photo(one, &stack).await, axe.clone());
    ada.check("How long it opens").await;
    let of_photo = ada.visitor.copies_the_link().await;
    ada.check("Make a new link").await;
    ada.visitor.click("Close").await;
    ada.visitor.visit("#/users/ada").await;
    ada.visitor.click("Share your profile").await;
    let of_profile = ada.visitor.copies_the_link().await;
    ada.check("your profile and your photos for everyone").await;
    ada.check_view("#/settings/links", "Your profile").await;

    // Scripts of WebDriver run in spite of the policy of these pages.
    let mut stranger = Auditor::new(Visitor { browser: other }, axe);
    stranger.visitor.looks(WIDE, "light").await;
    stranger.visitor.browser.go(&of_profile).await;
    stranger.check("Looking for the last light").await;
    stranger.visitor.browser.go(&of_photo).await;
    stranger.visitor.click("Report this").await;
    stranger.check("Ada Marsh").await;
    stranger.visitor.click("Report").await;
    stranger.check("Thank you").await;
    ada.visitor.marks_its_photo_as_sensitive("Nudity").await;
    let covered = "Sensitive photo: nudity. Show it";
    stranger.visitor.browser.go(&of_photo).await;
    stranger.check(covered).await;
    stranger.visitor.click(covered).await;
    stranger.visitor.see_element("article img").await;
    stranger.check("Ada Marsh").await;
    stranger.visitor.browser.go(&format!("{of_photo}x")).await;
    stranger.check("This link has ended").await;
    let token = of_photo.rsplit('/').next().unwrap();
    stranger.visitor.browser.go(&format!("{}/#/s/{token}", stack.api())).await;
    stranger.visitor.click("Cara Lindqvist").await;
    stranger.check("Show the sensitive photo").await;
    stranger.visitor.click("Show the sensitive photo").await;
    stranger.visitor.see_element(".frame img.shown").await;
    stranger.leave(&["/s/"]).await;
    ada.leave(&["/link - Failed"]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_views_of_reports_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Cara Lindqvist").await, axe);
    auditor.visitor.visit("#/photos/ada/2024-05-30T15:42:38").await;
    auditor.visitor.click("Report the comment of ben").await;
    auditor.check("Report the comment of ben").await;
    auditor.visitor.click("Report").await;
    auditor.visitor.see("Thank you.").await;
    auditor.visitor.visit("#/settings/reports").await;
    auditor.visitor.click("As a moderator").await;
    auditor.visitor.see_element(".reports .actions").await;
    auditor.visitor.click("History of ben~2024-07-14T10:21:01").await;
    auditor.check("One photo is no advertising").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_views_of_hashtags_have_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Cara Lindqvist").await, axe);
    auditor.visitor.visit("#/hashtags").await;
    auditor.check("You follow").await;
    auditor.visitor.fill("q", "self").await;
    auditor.check("a few photos").await;
    auditor.visitor.click("#selfie").await;
    auditor.check("Following").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_right_side_has_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::enter(browser, &stack, "Cara Lindqvist").await, axe);
    auditor.visitor.browser.run("document.querySelector('.sides button:last-child').click()").await;
    auditor.visitor.see_in(".asked", "Query dev.Feed").await;
    auditor.visitor.browser.run(SHOW_ALL).await;
    auditor.check("BatchGetItem dev.Feed, quick-photos").await;
    auditor.visitor.search("nils").await;
    auditor.visitor.click("Follow nils").await;
    auditor.visitor.see_in(".inspector", "PUT /users/nils/followers/me 201").await;
    auditor.visitor.click("HTTP request and answer").await;
    auditor.visitor.click("As sent").await;
    auditor.visitor.click("Rust").await;
    auditor.check("Stream records of these writes").await;
    auditor.visitor.browser.click(".inspect .key").await;
    auditor.check("Where the item lies").await;
    auditor.visitor.browser.press(ESCAPE).await;
    auditor.visitor.click("The access pattern").await;
    auditor.check("Contract:").await;
    auditor.visitor.click("Tables").await;
    auditor.visitor.see_element(".grid .cut").await;
    auditor.check("Primary key").await;
    auditor.visitor.click("Whole window").await;
    auditor.check("Primary key").await;
    auditor.visitor.click("Whole window").await;
    auditor.visitor.browser.click(".grid td:not(.pin) .cut").await;
    auditor.check("Where the item lies").await;
    auditor.visitor.click("Edit or delete").await;
    auditor.visitor.click("Delete the item").await;
    auditor.check("Only this item is deleted.").await;
    auditor.visitor.browser.press(ESCAPE).await;
    auditor.visitor.click("Access patterns").await;
    auditor.visitor.browser.click(".patterns summary").await;
    auditor.check("is the contract: one call").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn the_api_page_has_no_findings() {
    let (Some(axe), Some(browser)) = (axe(), start_browser().await) else { return };
    let stack = start_stack(None).await;
    let mut auditor = Auditor::new(Visitor::open(browser, &stack).await, axe);
    auditor.visitor.browser.go(&format!("{}/local/docs", stack.api())).await;
    auditor.visitor.see_element("a[href='#send/listFeed']").await;
    auditor.examine("Quick start").await;
    show_operation(&auditor.visitor.browser, "tag/users/PATCH/users/{username}").await;
    auditor.examine("Update user").await;
    auditor.leave(&[]).await;
    stack.shutdown().await;
}
