//! A link as a messenger and another site show it, without an account: by Open Graph, by oEmbed, and
//! as a page.

use std::path::Path;
use std::process::Command;

use local::stack::{Options, Stack};
use reqwest::Client;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tests::stack::start;
use tests::tools::{output, tool};
use webpage::HTML;

/// The link of a photo of ada in the sample data.
const LINK: &str = "/s/Zm9yLW9ubHktdGVzdGluZw";

/// Returns the address of the link as a person writes it.
fn address(stack: &Stack) -> String {
    format!("{}{LINK}", stack.api().replace("127.0.0.1", "localhost"))
}

/// Sends a GET without a token. Returns the headers and the body of a 200.
async fn get(url: &str) -> (HeaderMap, Vec<u8>) {
    let answer = Client::new().get(url).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{url}");
    (answer.headers().clone(), answer.bytes().await.unwrap().into())
}

/// Returns the width and the height of a JPEG, by its [frame
/// header](https://www.w3.org/Graphics/JPEG/itu-t81.pdf).
fn size_of_jpeg(file: &[u8]) -> [u16; 2] {
    let mut segment = &file[2..];
    while ![0xc0, 0xc1, 0xc2].contains(&segment[1]) {
        segment = &segment[2 + usize::from(u16::from_be_bytes([segment[2], segment[3]]))..];
    }
    [[segment[7], segment[8]], [segment[5], segment[6]]].map(u16::from_be_bytes)
}

#[tokio::test]
async fn a_messenger_gets_title_picture_and_size_from_a_link() {
    let stack = start(Options::default()).await;
    let link = address(&stack);
    let (headers, page) = get(&link).await;
    assert_eq!(headers["content-type"], "text/html; charset=utf-8");
    assert!(page.len() < 15_000, "{} bytes", page.len());
    let page = HTML::from_string(String::from_utf8(page).unwrap(), Some(link.clone())).unwrap();
    let graph = page.opengraph;
    assert_eq!((&*graph.og_type, &graph.properties["url"]), ("article", &link));
    assert!(!graph.properties["title"].is_empty());
    assert_eq!(page.title.as_ref(), Some(&graph.properties["title"]));

    let [picture] = &graph.images[..] else { panic!("{:?}", graph.images) };
    assert_eq!(picture.url, format!("{link}/picture"), "an address that stays valid");
    let (headers, file) = get(&picture.url).await;
    assert_eq!(headers["content-type"], "image/jpeg");
    assert_eq!(picture.properties["type"], "image/jpeg");
    let size = ["width", "height"].map(|side| picture.properties[side].parse::<u16>().unwrap());
    assert_eq!(size_of_jpeg(&file), size);
    stack.shutdown().await;
}

#[tokio::test]
async fn another_site_gets_title_author_picture_and_size_from_a_link() {
    let Some(python) = tool("QUICK_PHOTOS_PYTHON") else { return };
    let stack = start(Options::default()).await;
    let quote = async |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/quote.py"));
        command.arg(address(&stack)).args(arguments);
        serde_json::from_str::<Value>(&output(command).await).unwrap()
    };
    let quoted = quote(&[]).await;
    assert_eq!([&quoted["type"], &quoted["version"]], [&json!("photo"), &json!("1.0")], "{quoted}");
    assert!(quoted["title"].as_str().is_some_and(|title| !title.is_empty()), "{quoted}");
    assert!(quoted["author_name"].as_str().is_some_and(|name| !name.is_empty()), "{quoted}");
    for [url, width, height] in [["url", "width", "height"], ["thumbnail_url", "thumbnail_width", "thumbnail_height"]] {
        let (_, file) = get(quoted[url].as_str().unwrap()).await;
        let [width, height] = [width, height].map(|side| quoted[side].as_u64().unwrap());
        assert_eq!(size_of_jpeg(&file).map(u64::from), [width, height], "{url}");
    }
    let small = quote(&["400"]).await;
    assert!((1..=400).contains(&small["width"].as_u64().unwrap()), "{small}");
    stack.shutdown().await;
}

/// Returns the values of an attribute in a page.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let beginning = format!(" {attribute}=\"");
    page.split(&beginning).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn a_browser_without_an_account_needs_one_request_for_the_page_and_one_for_the_picture() {
    let stack = start(Options::default()).await;
    let (headers, page) = get(&address(&stack)).await;
    let page = String::from_utf8(page).unwrap();
    // Of a `srcset`, a browser loads one picture.
    let [picture] = values(&page, "src")[..] else { panic!("{page}") };
    let srcset = values(&page, "srcset");
    assert!(srcset.len() == 1 && srcset[0].contains(picture), "{page}");
    for loads in ["<script", "stylesheet", "icon\"", "preload", "<iframe", "url(", "@import", "http-equiv"] {
        assert!(!page.contains(loads), "{loads}: {page}");
    }
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; img-src ") && !policy.contains("script-src"), "{policy}");
    let (headers, _) = get(&picture.replace("&amp;", "&")).await;
    assert_eq!(headers["content-type"], "image/jpeg");
    stack.shutdown().await;
}
