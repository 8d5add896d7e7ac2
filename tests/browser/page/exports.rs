//! An export, from the button to its pages, which need no network, and the import of its file.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::visitor::Visitor;
use crate::browser::{start_browser, start_small_stack};

/// Returns whether all pictures of the page have loaded, as soon as they have been looked at.
const PICTURES: &str = "const pictures = [...document.images];
    pictures.forEach((picture) => picture.scrollIntoView());
    return pictures.length > 0 && pictures.every((picture) => picture.complete && picture.naturalWidth > 100) || null;";

#[tokio::test]
async fn an_export_shows_everything_in_a_browser_without_a_network() {
    let (Some(browser), Ok(python)) = (start_browser().await, std::env::var("QUICK_PHOTOS_PYTHON")) else { return };
    let stack = start_small_stack().await;
    let ada = Visitor::enter(browser, &stack, "Ada Marsh").await;
    ada.click("Settings").await;
    ada.click_beginning("Your data").await;
    ada.click("Make an export").await;
    ada.see("It is ready.").await;
    let url = ada.browser.run("return document.querySelector('a.button.main').href").await;
    let file = reqwest::get(url.as_str().unwrap()).await.unwrap();
    assert_eq!(file.headers()["content-disposition"], "attachment; filename=\"quick-photos-ada.zip\"");

    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("ada.zip");
    fs::write(&archive, file.bytes().await.unwrap()).unwrap();
    let import = async || ada.choose_files("[accept='.zip']", &[archive.to_str().unwrap().to_owned()]).await;
    ada.browser.devtools("Network.enable", json!({})).await;
    ada.browser.devtools("Network.setBlockedURLs", json!({"urls": ["*/quick-photos-*"]})).await;
    import().await;
    ada.see_in(".trouble", "The file did not reach S3").await;
    ada.browser.devtools("Network.setBlockedURLs", json!({"urls": []})).await;
    import().await;
    ada.see("It is done.").await;
    ada.see_no(".trouble").await;
    ada.see("left out: 0").await;

    let unpack = Command::new(python).args(["-m", "zipfile", "-e"]).arg(&archive).arg(folder.path()).status().unwrap();
    assert!(unpack.success());
    stack.shutdown().await;

    let offline = json!({"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0});
    ada.browser.devtools("Network.emulateNetworkConditions", offline).await;
    ada.browser.go(&format!("file://{}/index.html", folder.path().display())).await;
    ada.see_in("h1", "The data of ada").await;
    ada.click("Photos").await;
    ada.see_in("h1", "Photos").await;
    ada.browser.wait_for(PICTURES, json!([])).await;
    ada.click("All data").await;
    ada.click("Profile and account").await;
    ada.see("ada@example.com").await;
    // The page of the stack has lost its connection before.
    ada.leave_with(&[], &["127.0.0.1", "localhost"]).await;
}
