use super::*;
use serde_json::{Value, json};
use testing::{Fixture, TestRequest, link, photo_with, ready, request, with};

const PHOTO: &str = "2024-07-01T10:00:00";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OF_PROFILE: &str = "cHJvZmlsZS1vZi1hZGEtMQ";

fn embed(token: &str) -> TestRequest {
    request("GET", format!("/oembed?url=https%3A%2F%2Flinks.example%2Fs%2F{token}%3Futm_source%3Dx"))
}

async fn fixture() -> Fixture {
    let fixture = Fixture::new("get-embed").await;
    fixture.put(with(photo_with("ada", PHOTO, ready(b"file")), "caption", "Low tide\nat dusk")).await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put_all(link("ada", None, OF_PROFILE));
    fixture
}

fn size(body: &Value) -> (u64, u64) {
    (body["width"].as_u64().unwrap(), body["height"].as_u64().unwrap())
}

#[tokio::test]
async fn returns_a_photo_as_oembed_has_it() {
    let fixture = fixture().await;
    let answer = fixture.call(GetEmbed::start, embed(TOKEN)).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["GetItem".to_owned(), "BatchGetItem".to_owned()]));
    let body = &answer.body;
    assert_eq!((&body["type"], &body["version"], &body["title"]), (&json!("photo"), &json!("1.0"), &json!("Low tide")));
    assert_eq!((&body["author_name"], &body["cache_age"]), (&json!("Ada Marsh"), &json!(60)));
    assert!(
        body["url"].as_str().unwrap().contains("large") && body["thumbnail_url"].as_str().unwrap().contains("small")
    );
    assert_eq!(answer.headers["cache-control"], "public, max-age=0, s-maxage=60");
}

#[tokio::test]
async fn the_picture_is_as_large_as_it_may_be() {
    let fixture = fixture().await;
    let (width, height) = size(&fixture.call(GetEmbed::start, embed(TOKEN)).await.body);
    for (name, max) in [("maxwidth", 800), ("maxwidth", 441), ("maxwidth", 100), ("maxheight", 300), ("maxheight", 1)] {
        let limited = embed(TOKEN).query(name, &max.to_string());
        let body = fixture.call(GetEmbed::start, limited).await.body;
        let limited = size(&body);
        assert!(limited.0 <= width && limited.1 <= height);
        assert!(if name == "maxwidth" { limited.0 <= max } else { limited.1 <= max }, "{name} {max}: {limited:?}");
        assert!(limited.0.abs_diff(limited.1 * width / height) <= width / height + 2 || limited.1 == 1, "{limited:?}");
        let thumbnail = |side: &str| body[format!("thumbnail_{side}")].as_u64().unwrap();
        assert!(thumbnail("width") <= limited.0 && thumbnail("height") <= limited.1, "{name} {max}: {body}");
    }
    let small = embed(TOKEN).query("maxwidth", "440");
    assert_eq!(size(&fixture.call(GetEmbed::start, small).await.body).0, 440);
}

#[tokio::test]
async fn a_profile_is_a_link() {
    let fixture = fixture().await;
    let body = fixture.call(GetEmbed::start, embed(OF_PROFILE)).await.body;
    assert_eq!((&body["type"], &body["title"], body.get("url")), (&json!("link"), &json!("Ada Marsh (@ada)"), None));
}

#[tokio::test]
async fn answers_404_for_what_is_no_link() {
    let fixture = fixture().await;
    for url in ["https://links.example/s/guess", "https://links.example/", "nonsense", "https://x.example/s/"] {
        let answer = fixture.call(GetEmbed::start, request("GET", "/oembed").query("url", url)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-link"), "{url}");
    }
}

#[tokio::test]
async fn answers_the_sample_event() {
    assert_eq!(fixture().await.call_with_sample_event(GetEmbed::start).await.body["author_name"], "Ada Marsh");
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    fixture.refuses_field(GetEmbed::start, request("GET", "/oembed"), "url").await;
    for (name, bad) in [("maxwidth", "0"), ("maxheight", "-1"), ("maxwidth", "x"), ("format", "xml")] {
        fixture.refuses_field(GetEmbed::start, embed(TOKEN).query(name, bad), name).await;
    }
}

#[tokio::test]
async fn a_sensitive_photo_is_a_link_without_a_picture() {
    let fixture = fixture().await;
    fixture.put(with(photo_with("ada", PHOTO, ready(b"file")), "sensitive", "nudity")).await;
    let body = fixture.call(GetEmbed::start, embed(TOKEN)).await.body;
    assert_eq!((&body["type"], body.get("url"), body.get("thumbnail_url")), (&json!("link"), None, None));
}

#[tokio::test]
async fn the_title_is_the_first_visible_line_of_the_caption() {
    let fixture = fixture().await;
    for (caption, title) in
        [("\nLow tide", "Low tide"), (" \n\u{200b}\n  Low tide \nat dusk", "Low tide"), ("\n ", "A photo by Ada Marsh")]
    {
        fixture.put(with(photo_with("ada", PHOTO, ready(b"file")), "caption", caption)).await;
        let answer = fixture.call(GetEmbed::start, embed(TOKEN)).await;
        assert_eq!((answer.status, &answer.body["title"]), (200, &json!(title)), "{caption:?}");
    }
}
