use super::*;
use serde_json::json;
use shared::entities::{Key, Picture};
use shared::values::{ReportReason, Timestamp};
use testing::{
    Answer, Fixture, TestRequest, deletion, link, link_until, photo_deletion, photo_with, ready, request, several,
    user, with,
};

const PHOTO: &str = "2024-07-01T10:00:00";
const OTHER_PHOTO: &str = "2024-07-02T10:00:00";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OTHER_TOKEN: &str = "YW5vdGhlci10b2tlbi4uLg";

fn json(token: &str) -> TestRequest {
    request("GET", format!("/s/{token}")).header("accept", "application/json")
}

fn page(token: &str) -> TestRequest {
    request("GET", format!("/s/{token}")).header("accept", "text/html,*/*;q=0.8")
}

/// Returns a fixture in which ada shares one of two photos, which she alone sees in the app.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("open-link").await;
    let photo = with(photo_with("ada", PHOTO, ready(b"file")), "audience", "me");
    fixture.put(with(with(photo, "caption", "Low <tide> & \"gulls\"\nat dusk"), "altText", "A quay")).await;
    fixture.put(photo_with("ada", OTHER_PHOTO, ready(b"other"))).await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put_all(link("ben", Some(OTHER_PHOTO), OTHER_TOKEN));
    fixture
}

#[tokio::test]
async fn shows_the_photo_to_a_stranger_as_json() {
    let fixture = fixture().await;
    let answer = fixture.call(OpenLink::start, json(TOKEN)).await;
    assert_eq!((answer.status, fixture.operations()), (200, vec!["GetItem".to_owned(), "BatchGetItem".to_owned()]));
    let photo = &answer.body["photo"];
    assert_eq!((&answer.body["username"], &answer.body["name"]), (&json!("ada"), &json!("Ada Marsh")));
    assert_eq!((&photo["id"], &photo["altText"], &photo["comments"]), (&json!(PHOTO), &json!("A quay"), &json!(0)));
    assert!(photo["urls"][0]["url"].as_str().unwrap().starts_with("https://pictures.example/"), "{photo}");
    assert!(photo.get("audience").is_none() && answer.body.get("profile").is_none(), "{}", answer.body);
    assert_eq!(answer.headers["cache-control"], "public, max-age=0, s-maxage=60");
    assert_eq!(answer.headers["vary"], "accept, accept-encoding");
    let tag = answer.headers["etag"].to_str().unwrap();
    let again = fixture.call(OpenLink::start, json(TOKEN).header("if-none-match", tag)).await;
    assert_eq!(again.status, 304);
}

#[tokio::test]
async fn shows_the_photo_to_a_browser_as_a_page_without_scripts() {
    let fixture = fixture().await;
    let answer = fixture.call(OpenLink::start, page(TOKEN)).await;
    let html = answer.body.as_str().unwrap();
    assert_eq!((answer.status, fixture.operations().len()), (200, 2));
    assert!(html.len() < 15 * 1024 && !html.contains("<script"), "{html}");
    for part in [
        r#"<p class="caption">Low &lt;tide&gt; &amp; &quot;gulls&quot;"#,
        "<title>Low &lt;tide&gt; &amp; &quot;gulls&quot;</title>",
        "Ada Marsh <small>@ada</small>",
        r#"alt="A quay""#,
        "0 reactions · 0 comments",
        &format!(r#"<meta property="og:image" content="https://links.example/s/{TOKEN}/picture">"#),
        &format!("oembed?url=https%3A%2F%2Flinks%2Eexample%2Fs%2F{TOKEN}"),
        &format!(r#"<form method="post" action="/s/{TOKEN}/report">"#),
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    assert!(!html.contains(r#"class="open""#), "without AppLink there is no app to open");
    let header = |name| answer.headers[name].to_str().unwrap();
    assert_eq!(header("x-robots-tag"), "noindex");
    let varies: Vec<_> = answer.headers.get_all("vary").iter().collect();
    assert_eq!(varies, ["accept, accept-encoding"]);
    assert!(header("content-security-policy").starts_with("default-src 'none'; img-src https://pictures.example/; "));
    assert!(!answer.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn a_deployment_can_open_its_app_and_an_owner_can_allow_search_engines() {
    let fixture = Fixture::with_parameters("open-link", &[("AppLink", "app:link/")]).await;
    fixture.put(photo_with("ada", PHOTO, ready(b"file"))).await;
    let mut items = link("ada", Some(PHOTO), TOKEN);
    items[1].insert("indexed".to_owned(), aws_sdk_dynamodb::types::AttributeValue::Bool(true));
    fixture.put_all(items);
    let answer = fixture.call(OpenLink::start, page(TOKEN)).await;
    assert!(answer.body.as_str().unwrap().contains(&format!(r#"<a class="open" href="app:link/{TOKEN}">"#)));
    assert_eq!(answer.headers["x-robots-tag"], "all");
}

#[tokio::test]
async fn the_link_of_a_profile_shows_the_newest_photos_for_everyone() {
    let fixture = fixture().await;
    fixture.put_all(link("ada", None, OTHER_TOKEN));
    let answer = fixture.call(OpenLink::start, json(OTHER_TOKEN)).await;
    assert_eq!(fixture.operations(), ["GetItem", "BatchGetItem", "Query"]);
    let photos = answer.body["profile"]["photos"].as_array().unwrap();
    let ids: Vec<_> = photos.iter().map(|photo| photo["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [OTHER_PHOTO, "2024-06-09T13:49:13", "2024-05-30T15:42:38"], "without that for ada alone");
    assert!(answer.body.get("photo").is_none() && answer.body["profile"]["picture"]["small"].is_string());
    let html = fixture.call(OpenLink::start, page(OTHER_TOKEN)).await.body;
    assert_eq!(html.as_str().unwrap().matches("<img ").count(), 4, "{html}");
    assert!(html.as_str().unwrap().contains("<title>Ada Marsh (@ada)</title>"));
}

#[tokio::test]
async fn the_link_of_a_profile_finds_photos_for_everyone_behind_others() {
    let fixture = fixture().await;
    fixture.put_all(link("ada", None, OTHER_TOKEN));
    for (others, queries, is_found) in [(60, 2, true), (1_100, 5, false)] {
        let newer = (0..others).map(|number| format!("2025-01-01T{:02}:{:02}:00", number / 60, number % 60));
        fixture.put_all(newer.map(|id| with(testing::photo("ada", &id), "audience", "followers")).collect());
        let _ = fixture.operations();
        let answer = fixture.call(OpenLink::start, json(OTHER_TOKEN)).await;
        assert_eq!(fixture.operations(), [&["GetItem", "BatchGetItem"][..], &vec!["Query"; queries]].concat());
        let photos = answer.body["profile"]["photos"].as_array().unwrap();
        assert_eq!(photos.first().is_some_and(|photo| photo["id"] == OTHER_PHOTO), is_found, "{others}: {photos:?}");
    }
}

#[tokio::test]
async fn shows_nothing_private_of_the_owner() {
    let fixture = fixture().await;
    fixture.put_all(link("ada", None, OTHER_TOKEN));
    for token in [TOKEN, OTHER_TOKEN] {
        let json = fixture.call(OpenLink::start, json(token)).await.body.to_string();
        let page = fixture.call(OpenLink::start, page(token)).await.body.to_string();
        for private in ["Orchard Row", "1992", "ada@", "attributes", "subject", "\"ben\"", "@ben", "cara"] {
            assert!(!json.contains(private) && !page.contains(private), "{private}: {json} {page}");
        }
    }
}

#[tokio::test]
async fn shows_all_pictures_of_a_photo_of_several_and_previews_the_first() {
    let fixture = fixture().await;
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: ready(b"b").sizes().cloned() };
    fixture.put_all(several("ada", PHOTO, [ready(b"a"), removed, ready(b"c")]).into());
    fixture.put_all(several("ada", OTHER_PHOTO, [ready(b"other"), ready(b"another")]).into());
    let answer = fixture.call(OpenLink::start, json(TOKEN)).await;
    assert_eq!(fixture.operations(), ["GetItem", "BatchGetItem", "GetItem"]);
    let photo = &answer.body["photo"];
    let pictures = photo["pictures"].as_array().unwrap();
    let shown: Vec<_> = pictures.iter().map(|picture| (&picture["number"], &picture["altText"])).collect();
    assert_eq!(shown, [(&json!(1), &json!("Picture 1")), (&json!(3), &json!("Picture 3"))], "without the removed one");
    assert_eq!((&photo["urls"], &photo["altText"]), (&pictures[0]["urls"], &json!("Picture 1")));
    assert_ne!(pictures[0]["urls"], pictures[1]["urls"]);
    let html = fixture.call(OpenLink::start, page(TOKEN)).await.body;
    let html = html.as_str().unwrap();
    assert_eq!((html.matches("<img ").count(), html.matches("og:image\"").count()), (2, 1), "{html}");
    assert!(html.contains(r#"alt="Picture 3""#) && !html.contains("Picture 2"), "{html}");

    // The link of a profile shows the first picture of each.
    fixture.put_all(link("ada", None, OTHER_TOKEN));
    let of_profile = fixture.call(OpenLink::start, json(OTHER_TOKEN)).await;
    let photo = &of_profile.body["profile"]["photos"][0];
    assert_eq!((&photo["id"], photo.get("pictures")), (&json!(OTHER_PHOTO), None));
}

#[tokio::test]
async fn no_picture_of_a_sensitive_photo_of_several_shows_before_a_click() {
    let fixture = fixture().await;
    let [photo, pictures] = several("ada", PHOTO, [ready(b"a"), ready(b"b")]);
    fixture.put_all(vec![with(photo, "sensitive", "medical"), pictures]);
    for (request, is_html) in [(json(TOKEN), false), (page(TOKEN), true)] {
        let closed = fixture.call(OpenLink::start, request.clone()).await;
        assert!(!has_picture(&closed, PHOTO), "{}", closed.body);
        let opened = fixture.call(OpenLink::start, request.query("show", "sensitive")).await;
        let text = opened.body.to_string();
        assert!(text.contains("/2/"), "{text}");
        if is_html {
            assert_eq!(
                (closed.body.to_string().matches("class=\\\"sensitive").count(), text.matches("<img ").count()),
                (1, 2)
            );
        }
    }
}

/// Returns the bytes of an answer, without what differs by time.
fn of(answer: &Answer) -> (u16, String, String) {
    (answer.status, format!("{:?}", answer.headers), answer.body.to_string())
}

#[tokio::test]
async fn whatever_ends_a_link_gives_the_answer_of_a_guess() {
    let now = Timestamp::now();
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    for (ending, items) in [
        ("until", link_until("ada", Some(PHOTO), TOKEN, Some(now))),
        ("the photo was deleted", vec![photo_deletion("ada", PHOTO, 0)]),
        ("a moderator removed the photo", vec![photo_with("ada", PHOTO, removed)]),
        ("the photo is pending", vec![photo_with("ada", PHOTO, Picture::Pending)]),
        ("the user was deleted", vec![deletion("ada")]),
    ] {
        let fixture = fixture().await;
        for request in [json, page] {
            assert_eq!(fixture.call(OpenLink::start, request(TOKEN)).await.status, 200);
        }
        fixture.put_all(items);
        for request in [json, page] {
            let ended = of(&fixture.call(OpenLink::start, request(TOKEN)).await);
            assert_eq!(ended.0, 404, "{ending}");
            for guess in ["dGhpcy1pcy1hLWd1ZXNzLg", "guess", "%00"] {
                assert_eq!(of(&fixture.call(OpenLink::start, request(guess)).await), ended, "{ending}: {guess}");
            }
        }
    }
}

#[tokio::test]
async fn a_link_whose_target_was_deleted_opens_nothing() {
    let fixture = fixture().await;
    fixture.delete(Key::link_target(&TOKEN.parse().unwrap())).await;
    assert_eq!(fixture.call(OpenLink::start, json(TOKEN)).await.problem(), "no-link");
    assert_eq!(fixture.call(OpenLink::start, json(OTHER_TOKEN)).await.problem(), "no-link", "ben has no such photo");
    fixture.put_all(vec![user("ben"), photo_with("ben", OTHER_PHOTO, ready(b"file"))]);
    assert_eq!(fixture.call(OpenLink::start, json(OTHER_TOKEN)).await.status, 200);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = fixture().await;
    assert!(fixture.call_with_sample_event(OpenLink::start).await.status == 200);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    fixture.refuses_field(OpenLink::start, json(TOKEN).query("include", "people"), "include").await;
}

/// Returns whether an answer has the address of a picture of the photo with this id.
fn has_picture(answer: &Answer, photo: &str) -> bool {
    answer.body.to_string().contains(&format!("https://pictures.example/photos/ada/{}/", photo.replace(':', "%3A")))
}

#[tokio::test]
async fn the_picture_of_a_sensitive_photo_is_behind_a_click() {
    let fixture = fixture().await;
    let sensitive = with(photo_with("ada", PHOTO, ready(b"file")), "sensitive", "medical");
    for (by, item) in [("owner", sensitive.clone()), ("moderator", with(sensitive, "sensitiveBy", "moderator"))] {
        fixture.put(with(item, "altText", "A quay")).await;
        let closed = fixture.call(OpenLink::start, json(TOKEN)).await;
        assert_eq!(closed.body["photo"]["sensitive"], json!({"reason": "medical", "by": by}));
        assert_eq!((&closed.body["photo"]["urls"], &closed.body["photo"]["altText"]), (&json!([]), &json!("A quay")));
        assert!(closed.body["photo"]["blurhash"].is_string() && !has_picture(&closed, PHOTO));
        let closed = fixture.call(OpenLink::start, page(TOKEN)).await;
        assert_eq!(closed.headers["cache-control"], "public, max-age=0, s-maxage=60");
        let html = closed.body.as_str().unwrap();
        let warning = format!(r#"<a class="sensitive" href="/s/{TOKEN}?show=sensitive">Sensitive photo: an injury"#);
        assert!(html.contains(&warning) && !html.contains("<img") && !html.contains("og:image"), "{html}");
        for request in [json(TOKEN), page(TOKEN)] {
            let opened = fixture.call(OpenLink::start, request.query("show", "sensitive")).await;
            assert!(has_picture(&opened, PHOTO) && !opened.body.to_string().contains("og:image"), "{}", opened.body);
        }
    }
    fixture.refuses_field(OpenLink::start, page(TOKEN).query("show", "true"), "show").await;
}

#[tokio::test]
async fn the_link_of_a_profile_hides_sensitive_photos_alone() {
    let fixture = fixture().await;
    fixture.put(with(photo_with("ada", OTHER_PHOTO, ready(b"other")), "sensitive", "nudity")).await;
    fixture.put_all(link("ada", None, OTHER_TOKEN));
    for request in [json(OTHER_TOKEN), page(OTHER_TOKEN)] {
        let closed = fixture.call(OpenLink::start, request.clone()).await;
        assert!(!has_picture(&closed, OTHER_PHOTO) && has_picture(&closed, "2024-06-09T13:49:13"), "{}", closed.body);
        let opened = fixture.call(OpenLink::start, request.query("show", "sensitive")).await;
        assert!(has_picture(&opened, OTHER_PHOTO), "{}", opened.body);
    }
}
