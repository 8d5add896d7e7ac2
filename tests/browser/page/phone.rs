//! A phone that opens the page by the address of this machine in its network.

use local::listener::lan_address;
use local::stack::{Data, Options};
use serde_json::json;
use tests::stack;

use super::pictures::picture;
use super::visitor::{HEADLINE, Visitor};
use crate::browser::start_browser;

#[tokio::test]
async fn a_phone_sees_the_pictures_and_uploads_one() {
    let Some(browser) = start_browser().await else { return };
    let Ok(host) = lan_address() else { return };
    let stack = stack::start(Options { host, data: Data::Seed, ..Options::default() }).await;
    let visitor = Visitor { browser };
    visitor.looks(390, "light").await;
    visitor.browser.go(&format!("{}/", stack.api())).await;
    visitor.see(HEADLINE).await;
    // As on a phone, the page gets nothing that browsers keep for localhost and TLS.
    visitor.see_value("[location.hostname, isSecureContext]", json!([host, false])).await;
    visitor.click("Cara Lindqvist").await;
    visitor.see("Sign out").await;
    visitor.visit("#/users/ada").await;
    visitor.see_element(".grid img.shown").await;
    visitor.see_value("new URL(document.querySelector('.grid img.shown').src).hostname", json!(host)).await;
    visitor.visit("#/users/cara").await;
    visitor.see("No photos yet.").await;
    visitor.upload("noise.png", "image/png", &picture()).await;
    visitor.see_in(".uploads .ready", "Ready").await;
    visitor.see_element(".grid img.shown").await;
    visitor.leave(&[]).await;
    stack.shutdown().await;
}
