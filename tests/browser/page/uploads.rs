//! Uploads, by the button and by drag and drop.

use serde_json::json;

use super::pictures::{as_text, picture, write};
use super::visitor::{ESCAPE, Visitor};
use crate::browser::{start_browser, start_small_stack};

/// Keeps each text that the first upload shows in `texts`, and each value of its progress bar in
/// `values`.
const WATCH: &str = r#"
    window.texts = [];
    window.values = [];
    const look = () => {
      const row = document.querySelector(".uploads li");
      const text = row?.querySelector("[role=status]").textContent;
      if (text && text !== texts.at(-1)) texts.push(text);
      const bar = row?.querySelector("progress");
      if (bar && bar.value !== values.at(-1)) values.push(bar.value);
    };
    const all = {subtree: true, childList: true, characterData: true, attributes: true};
    new MutationObserver(look).observe(document.body, all);"#;

/// Drags a file over the page, and drops it there.
const DROP: &str = r#"
    const [name, type, content] = arguments;
    const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], name, {type}));
    const options = {dataTransfer, bubbles: true, cancelable: true};
    for (const kind of ["dragenter", "dragover", "drop"]) {
      document.querySelector("main").dispatchEvent(new DragEvent(kind, options));
    }"#;

impl Visitor {
    /// Drops a file on the page, and uploads it without texts.
    pub(super) async fn upload(&self, name: &str, kind: &str, content: &[u8]) {
        self.drop(name, kind, content).await;
        self.click("Upload").await;
    }

    /// Drops a file on the page.
    pub(super) async fn drop(&self, name: &str, kind: &str, content: &[u8]) {
        self.browser.call(DROP, json!([name, kind, as_text(content)])).await;
    }

    /// Chooses these files with the first button of this CSS selector.
    pub(super) async fn choose_files(&self, selector: &str, paths: &[String]) {
        let script = "return document.querySelector(arguments[0])";
        self.browser.act("value", json!({"text": paths.join("\n")}), script, json!([selector])).await;
    }
}

#[tokio::test]
async fn an_upload_shows_how_far_it_is_and_then_the_photo() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "noise.png", &picture());

    // 720 kB take long enough for more than one look at the bar.
    let slow = json!({"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 500_000});
    visitor.browser.devtools("Network.emulateNetworkConditions", slow).await;
    visitor.browser.run(WATCH).await;
    visitor.choose_files("[type=file]", &[file]).await;
    visitor.click("Upload").await;
    visitor.see_in(".uploads .ready", "Ready").await;
    let [texts, values] = ["return texts", "return values"].map(|script| visitor.browser.run(script));
    assert_eq!(texts.await, json!(["Sending to S3 …", "Making its sizes …", "Ready"]));
    let values = values.await;
    let between = |value: &&serde_json::Value| (0.01..0.99).contains(&value.as_f64().unwrap());
    assert!(values.as_array().unwrap().iter().any(|value| between(&value)), "{values}");

    visitor.click("See photo").await;
    visitor.see_element(".photo img.shown").await;
    visitor.click("Pin to my profile").await;
    visitor.see("This photo is the picture of your profile.").await;
    visitor.click_beginning("Your profile").await;
    visitor.see_in(".grid", "Pinned").await;
    visitor.see_element(".profile .portrait img.shown").await;
    visitor.see_in(".profile", "1 photo ").await;
    visitor.browser.click(".grid a").await;
    visitor.click("Delete").await;
    visitor.click("Delete the photo").await;
    visitor.see("The photo is deleted.").await;
    visitor.see("No photos yet.").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}

#[tokio::test]
async fn a_dropped_picture_becomes_a_photo_and_a_rejected_file_shows_why() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_small_stack().await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.visit("#/users/cara").await;
    visitor.see("No photos yet.").await;
    visitor.upload("noise.png", "image/png", &picture()).await;
    visitor.see_in(".uploads .ready", "Ready").await;
    visitor.see_element(".grid img.shown").await;

    // Who closes the dialog uploads nothing.
    visitor.drop("noise.png", "image/png", &picture()).await;
    visitor.see_element("dialog[open]").await;
    visitor.browser.press(ESCAPE).await;
    visitor.see_no("dialog").await;
    visitor.upload("letter.jpg", "image/jpeg", b"Dear photo").await;
    visitor.see_in(".uploads .rejected", "Rejected: The file is no JPEG, PNG or WebP picture").await;
    visitor.see_in(".grid", "The file is no JPEG").await;
    visitor.see_in(".profile", "1 photo ").await;
    visitor.click("Close letter.jpg").await;
    visitor.click("Close noise.png").await;
    visitor.see_no(".uploads").await;
    assert_eq!(visitor.count(".grid li").await, 2);

    // What is no file is not taken.
    let nothing = "const options = {dataTransfer: new DataTransfer(), bubbles: true, cancelable: true}; \
        document.querySelector('main').dispatchEvent(new DragEvent('drop', options));";
    visitor.browser.run(nothing).await;
    visitor.see_no(".uploads").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
