//! The screenshots of the documents, from the sample data and from the items of the lab, and those
//! of views of all kinds.

use std::fs;
use std::process::Command;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use local::stack::{Data, Options};
use serde_json::json;
use tests::stack::{root, start};
use tests::tools::tool;
use tokio::task::spawn_blocking;

use super::visitor::{ESCAPE, Visitor, WIDE};
use crate::browser::api_page::show_operation;
use crate::browser::{start_browser, start_stack};

/// The width of a phone.
const PHONE: u32 = 390;
/// The largest file that the repository takes.
const MAX_BYTES: usize = 150_000;

impl Visitor {
    /// Writes `docs/images/NAME-light.webp` and `NAME-dark.webp`.
    async fn photograph(&self, name: &str) {
        self.photograph_into("docs/images", name, WIDE).await;
    }

    /// Writes `NAME-light.webp` and `NAME-dark.webp` into a folder of the repository.
    pub(super) async fn photograph_into(&self, folder: &str, name: &str, width: u32) {
        self.browser.devtools("Emulation.setScrollbarsHidden", json!({"hidden": true})).await;
        self.browser.run("document.documentElement.style.scrollbarGutter = 'auto'").await;
        let away = json!({"type": "mouseMoved", "x": 0, "y": 0});
        self.browser.devtools("Input.dispatchMouseEvent", away).await;
        for scheme in ["light", "dark"] {
            self.looks(width, scheme).await;
            self.photograph_once(folder, &format!("{name}-{scheme}")).await;
        }
        self.looks(WIDE, "light").await;
    }

    /// Writes `docs/images/NAME-wide.webp`, `NAME-phone.webp` and, wide again, `NAME-dark.webp`.
    pub(super) async fn photograph_for_a_page(&self, name: &str) {
        self.browser.devtools("Emulation.setScrollbarsHidden", json!({"hidden": true})).await;
        for (look, width, scheme) in [("wide", WIDE, "light"), ("phone", PHONE, "light"), ("dark", WIDE, "dark")] {
            self.looks(width, scheme).await;
            self.photograph_once("docs/images", &format!("{name}-{look}")).await;
        }
        self.looks(WIDE, "light").await;
    }

    /// Writes `NAME.webp` into a folder of the repository, with what the window shows now.
    async fn photograph_once(&self, folder: &str, name: &str) {
        let folder = root().join(folder);
        fs::create_dir_all(&folder).unwrap();
        self.browser.wait_for(LOADED, json!([])).await;
        let shot = json!({"format": "webp", "quality": 80});
        let shot = self.browser.devtools("Page.captureScreenshot", shot).await;
        let file = BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        assert!(file.len() <= MAX_BYTES, "{name} has {} bytes", file.len());
        fs::write(folder.join(format!("{name}.webp")), file).unwrap();
    }
}

/// Waits until all pictures in the window are drawn.
pub(super) const LOADED: &str = r#"
    const isSeen = (image) => {
      const {left, right, top, bottom} = image.getBoundingClientRect();
      return document.elementsFromPoint((left + right) / 2, (top + bottom) / 2).includes(image);
    };
    return [...document.images].filter(isSeen).every((image) => image.complete && getComputedStyle(image).opacity === "1") || null;"#;

#[tokio::test]
#[ignore = "it writes the files of docs/images"]
async fn screenshots() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see_element(".rows .picture img.shown").await;
    visitor.see_in(".happened > li", "GET /users/me/feed").await;
    visitor.photograph("start").await;
    visitor.click("Cara Lindqvist").await;
    visitor.see("Sign out").await;
    visitor.search("nils").await;
    visitor.click("Nils Berg nils").await;
    visitor.click("Follow nils").await;
    visitor.see_in(".happened > li", "PUT /users/nils/followers/me 201").await;
    stack.idle().await;
    visitor.see_in(".happened > li", "in all").await;
    visitor.click("Close").await;
    visitor.photograph("page").await;

    visitor.browser.click(".grid a").await;
    visitor.click("Nils Berg").await;
    visitor.see_in(".happened > li", "GET /users/nils/profile?order=desc&include=viewer 200").await;
    visitor.click_beginning("Query quick-photos").await;
    visitor.click_beginning("USER#nils PHOTO#nils#").await;
    visitor.see_in("dialog", "The Query read").await;
    visitor.photograph("item").await;
    visitor.browser.press(ESCAPE).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

/// Photographs views of all kinds, wide and on a phone, to look at after a change of the page.
#[tokio::test]
#[ignore = "it writes the folder target/screenshots"]
async fn screenshots_of_views() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::open(browser, &stack).await;
    visitor.see_element(".rows .picture img.shown").await;
    let photograph = async |name: &str| {
        for (look, width) in [("wide", WIDE), ("phone", PHONE)] {
            visitor.photograph_into("target/screenshots", &format!("{name}-{look}"), width).await;
        }
    };
    photograph("start").await;
    visitor.click("Ben Okafor").await;
    for (name, view, text) in [
        ("feed", "#/feed", "Refresh"),
        ("profile", "#/users/ada", "Looking for the last light"),
        ("photo", "#/photos/ada/2024-05-30T15:42:38", "Where is this, @ada?"),
        ("people", "#/people", "Find people"),
        ("settings", "#/settings", "waiting for your answer"),
        ("requests", "#/settings/requests", "Decline"),
        ("notifications", "#/notifications", "reacted to your photo"),
        ("favorites", "#/favorites", "Take out"),
        ("explore", "#/explore", "Explore"),
        ("hashtag", "#/hashtags/selfie", "Refresh"),
        ("hashtags", "#/hashtags", "Find hashtags"),
        ("reports", "#/settings/reports", "As a moderator"),
        ("catalogue", "#/catalogue/Songs", "SongTitle"),
    ] {
        visitor.visit(view).await;
        visitor.see(text).await;
        photograph(name).await;
    }
    visitor.opens_several("greta").await;
    photograph("several").await;
    visitor.browser.run("document.querySelector('.sides button:last-child').click()").await;
    for (name, text) in [("Tables", "Primary key"), ("Access patterns", "is the contract")] {
        visitor.click(name).await;
        visitor.see(text).await;
        photograph(&name.to_lowercase().replace(' ', "-")).await;
    }
    visitor.browser.go(&format!("{}/local/docs", stack.api())).await;
    show_operation(&visitor.browser, "tag/feed/GET/users/{username}/feed").await;
    photograph("api").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

/// Photographs what the nouns' pages show of the app.
#[tokio::test]
#[ignore = "it writes the files of docs/images"]
async fn screenshots_of_nouns() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/explore").await;
    visitor.see_element(".grid img.shown").await;
    visitor.photograph_for_a_page("explore").await;
    visitor.opens_several("greta").await;
    visitor.photograph_for_a_page("several").await;
    visitor.opens_several("cara").await;
    visitor.click("Edit").await;
    visitor.photograph_into("target/screenshots", "several-edit", WIDE).await;
    visitor.photograph_into("target/screenshots", "several-edit-phone", PHONE).await;
    visitor.browser.press(ESCAPE).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

/// Photographs the table that the scripts of docs/lab.md create.
#[tokio::test]
#[ignore = "it writes the files of docs/images"]
async fn screenshots_of_the_lab() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let Some(browser) = start_browser().await else { return };
    let stack = start(Options { data: Data::Empty, ..Options::default() }).await;
    let scripts = root().join("tests/lab");
    for script in ["create_table.py", "bulk_load_table.py"] {
        let mut command = Command::new(&python);
        command.arg(scripts.join(script)).env("AWS_ENDPOINT_URL_DYNAMODB", stack.dynamodb());
        command.envs([("AWS_ACCESS_KEY_ID", "local"), ("AWS_SECRET_ACCESS_KEY", "local")]);
        command.env("AWS_DEFAULT_REGION", "us-east-1");
        // On a thread of its own, because the stack has to answer on this one.
        assert!(spawn_blocking(move || command.status().unwrap()).await.unwrap().success(), "{script}");
    }
    let visitor = Visitor::enter(browser, &stack, "Mia Lindgren").await;
    visitor.click("Tables").await;
    visitor.see_in(".pager", "of 47 items").await;
    visitor.fill("prefix", "USER#mia").await;
    visitor.see_in(".grid tbody tr", "Friendship USER#mia #FRIEND#ivy").await;
    visitor.photograph("lab-table").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
