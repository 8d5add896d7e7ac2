//! The screenshots of the documents, from the sample data.

use std::fs;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use local::template::Template;
use serde_json::json;

use super::visitor::{ESCAPE, Visitor, WIDE};
use crate::{start_browser, start_stack};

/// The width of a phone.
const PHONE: u32 = 390;
/// The largest file that the repository takes.
const MAX_BYTES: usize = 150_000;

impl Visitor {
    /// Writes `docs/images/NAME-light.webp` and `NAME-dark.webp`.
    async fn photograph(&self, name: &str, width: u32) {
        let folder = Template::find().unwrap().with_file_name("docs").join("images");
        fs::create_dir_all(&folder).unwrap();
        self.browser.devtools("Emulation.setScrollbarsHidden", json!({"hidden": true})).await;
        self.browser.run("document.documentElement.style.scrollbarGutter = 'auto'").await;
        let away = json!({"type": "mouseMoved", "x": 0, "y": 0});
        self.browser.devtools("Input.dispatchMouseEvent", away).await;
        for scheme in ["light", "dark"] {
            self.looks(width, scheme).await;
            self.browser.wait_for(LOADED, json!([])).await;
            let shot = json!({"format": "webp", "quality": 80});
            let shot = self.browser.devtools("Page.captureScreenshot", shot).await;
            let file = BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
            assert!(file.len() <= MAX_BYTES, "{name} has {} bytes", file.len());
            fs::write(folder.join(format!("{name}-{scheme}.webp")), file).unwrap();
        }
        self.looks(WIDE, "light").await;
    }
}

/// Waits until all pictures in the window are drawn.
const LOADED: &str = r#"
    const isInside = ({top, bottom}) => bottom > 0 && top < innerHeight;
    const isSeen = (image) => image.checkVisibility() && isInside(image.getBoundingClientRect());
    return [...document.images].filter(isSeen).every((image) => image.complete && image.matches(".shown")) || null;"#;

#[tokio::test]
#[ignore = "it writes the files of docs/images"]
async fn screenshots() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Greta Holm").await;
    visitor.see_element(".cards img.shown").await;
    visitor.photograph("phone", PHONE).await;

    visitor.click("Sign out greta").await;
    visitor.click("Cara Lindqvist").await;
    visitor.click("Elif Aydin elif").await;
    visitor.click("Follow elif").await;
    visitor.see_in(".happened > li", "PUT /users/elif/followers/cara 201").await;
    stack.idle().await;
    visitor.see_in(".happened > li", "then, by functions").await;
    visitor.click("Close").await;
    visitor.photograph("page", WIDE).await;

    visitor.browser.click(".grid a").await;
    visitor.click("elif").await;
    visitor.see_in(".happened > li", "GET /users/elif/profile 200").await;
    visitor.click("USER#elif #METADATA#elif").await;
    visitor.see_in("dialog", "The Query read").await;
    visitor.photograph("item", WIDE).await;
    visitor.browser.press(ESCAPE).await;
    visitor.click("Access patterns").await;
    visitor.see_in(".inspect", "The contract is one call").await;
    visitor.photograph("patterns", WIDE).await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
