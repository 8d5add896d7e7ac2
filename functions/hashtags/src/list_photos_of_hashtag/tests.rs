use super::*;
use crate::samples::{captioned, follow, hide, publish};
use serde_json::{Value, json};
use shared::entities::Picture;
use shared::values::{Level, ReportReason};
use testing::{
    FEED, Fixture, QUICK_PHOTOS, block, engagement, photo_deletion, photo_with, ready, rejected, request, user, with,
    with_count,
};

/// The ids of photos in two months, from the newest.
const IDS: [&str; 4] =
    ["2024-07-02T00:00:00.000Z", "2024-07-01T00:00:00.000Z", "2024-05-02T00:00:00.000Z", "2024-05-01T00:00:00.000Z"];
const URI: &str = "/tags/dawn/photos";

/// Returns a fixture in which zoe and yan have photos with the hashtag, in turn.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("list-photos-of-hashtag").await;
    for (number, owner) in ["zoe", "yan", "zoe", "yan"].into_iter().enumerate() {
        publish(&fixture, captioned(owner, IDS[number], "#Dawn #dusk")).await;
    }
    fixture
}

async fn put(fixture: &Fixture, item: Item) {
    fixture.put_in(QUICK_PHOTOS, item).await;
}

/// Returns the photos that a caller sees, as the number of each in [`IDS`].
async fn seen_by(fixture: &Fixture, caller: &'static str) -> Vec<usize> {
    let answer = fixture.call(ListPhotosOfHashtag::start, request("GET", URI).by(caller)).await;
    assert_eq!((answer.status, &answer.body["nextCursor"]), (200, &Value::Null), "{}", answer.body);
    numbers(&answer.body["photos"])
}

fn numbers(photos: &Value) -> Vec<usize> {
    let ids = photos.as_array().unwrap().iter().map(|photo| photo["id"].as_str().unwrap());
    ids.map(|id| IDS.iter().position(|other| *other == id).unwrap()).collect()
}

#[tokio::test]
async fn answers_the_sample_event_with_the_photos_of_the_hashtag() {
    let fixture = Fixture::new("list-photos-of-hashtag").await;
    let answer = fixture.call_with_sample_event(ListPhotosOfHashtag::start).await;
    assert_eq!(answer.status, 200);
    let [photo] = &answer.body["photos"].as_array().unwrap()[..] else { panic!("{}", answer.body) };
    assert_eq!((&photo["username"], &photo["hashtags"]), (&json!("ada"), &json!(["selfie"])));
    assert_eq!(fixture.operations(), ["BatchGetItem", "Query", "BatchGetItem"]);
}

#[tokio::test]
async fn returns_the_newest_photo_first_across_months() {
    let fixture = fixture().await;
    assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 2, 3]);
    assert_eq!(fixture.operations(), ["BatchGetItem", "Query", "Query", "BatchGetItem"]);
    for tag in ["DAWN", "d~C3~A1wn", "dusk"] {
        let list = request("GET", format!("/tags/{tag}/photos")).by("ben");
        assert_eq!(numbers(&fixture.call(ListPhotosOfHashtag::start, list).await.body["photos"]), [0, 1, 2, 3]);
    }
}

#[tokio::test]
async fn an_unknown_hashtag_has_an_empty_list() {
    let fixture = fixture().await;
    let answer = fixture.call(ListPhotosOfHashtag::start, request("GET", "/tags/daw/photos").by("ben")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "people": {}, "nextCursor": null})));
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
}

#[tokio::test]
async fn returns_every_photo_once_during_concurrent_writes() {
    let fixture = fixture().await;
    let photos = fixture
        .pages(ListPhotosOfHashtag::start, URI, "photos", async |fixture: &Fixture| {
            publish(fixture, captioned("ada", "2024-08-01T00:00:00.000Z", "#dawn")).await;
        })
        .await;
    assert_eq!(numbers(&photos.into()), [0, 1, 2, 3]);
}

/// Entries may be some seconds behind the photos.
#[tokio::test]
async fn shows_only_photos_that_everyone_may_see_and_that_have_the_hashtag() {
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    let of_zoe = |picture| with(photo_with("zoe", IDS[2], picture), "caption", "#dawn");
    for item in [
        photo_deletion("zoe", IDS[2], 0),
        of_zoe(Picture::Pending),
        of_zoe(rejected()),
        of_zoe(removed),
        with(of_zoe(ready(b"file")), "audience", "me"),
        with(of_zoe(ready(b"file")), "audience", "followers"),
        captioned("zoe", IDS[2], "#dusk"),
        captioned("zoe", IDS[2], "dawn"),
    ] {
        let fixture = fixture().await;
        put(&fixture, item).await;
        for caller in ["ben", "zoe"] {
            assert_eq!(seen_by(&fixture, caller).await, [0, 1, 3], "{caller}");
        }
    }
}

#[tokio::test]
async fn a_blocked_pair_does_not_see_each_others_photos() {
    for (blocking, blocked) in [("ben", "zoe"), ("zoe", "ben")] {
        let fixture = fixture().await;
        let (blocks, blocked_by) = if blocking == "ben" { ("blocks", "blockedBy") } else { ("blockedBy", "blocks") };
        put(&fixture, with_count(user("ben"), blocks, 1)).await;
        put(&fixture, with_count(user("zoe"), blocked_by, 1)).await;
        put(&fixture, block(blocking, blocked, Level::Block)).await;
        assert_eq!(seen_by(&fixture, "ben").await, [1, 3], "{blocking}");
        assert_eq!(fixture.operations(), ["BatchGetItem", "Query", "Query", "BatchGetItem", "BatchGetItem"]);
        assert_eq!(seen_by(&fixture, "cara").await, [0, 1, 2, 3]);
        let first = request("GET", format!("{URI}?limit=1&include=people")).by("ben");
        let answer = fixture.call(ListPhotosOfHashtag::start, first).await;
        assert_eq!(numbers(&answer.body["photos"]), [1], "the page is filled with older photos");
        assert!(answer.body["people"].get("zoe").is_none());
    }
}

#[tokio::test]
async fn shows_sensitive_photos_without_their_pictures() {
    let fixture = fixture().await;
    for (owner, id) in [("zoe", IDS[0]), ("yan", IDS[1]), ("yan", IDS[3])] {
        put(&fixture, with(photo_with(owner, id, ready(b"file")), "caption", "#dawn")).await;
    }
    let list = |caller: &str| request("GET", URI).by(caller);
    fixture.hides_sensitive_pictures(ListPhotosOfHashtag::start, ("zoe", IDS[2]), list).await;
}

#[tokio::test]
async fn a_hidden_hashtag_has_an_empty_list() {
    let fixture = fixture().await;
    hide(&fixture, "dawn").await;
    for caller in ["ben", "zoe"] {
        assert_eq!(seen_by(&fixture, caller).await, Vec::<usize>::new());
    }
    let answer = fixture.call(ListPhotosOfHashtag::start, request("GET", "/tags/dusk/photos").by("ben")).await;
    assert_eq!(numbers(&answer.body["photos"]), [0, 1, 2, 3]);
}

#[tokio::test]
async fn includes_the_owners_and_what_the_caller_did() {
    let fixture = fixture().await;
    put(&fixture, user("zoe")).await;
    fixture.put_in(FEED, engagement("ben", "zoe", IDS[0], &["heart"])).await;
    let list = request("GET", format!("{URI}?include=people,viewer")).by("ben");
    let answer = fixture.call(ListPhotosOfHashtag::start, list).await;
    assert_eq!(answer.body["people"], json!({"zoe": {"name": "zoe"}}));
    assert_eq!(answer.body["photos"][0]["viewer"], json!({"reactions": ["heart"], "saved": false}));
    assert_eq!(answer.body["photos"][1]["viewer"], json!({"reactions": [], "saved": false}));
}

#[tokio::test]
async fn tells_who_asks_whether_the_caller_follows_the_hashtag() {
    let fixture = fixture().await;
    follow(&fixture, "ben", &["dawn", "noon"]).await;
    for (caller, tag, followed) in [("ben", "DAWN", true), ("ben", "dusk", false), ("ada", "dawn", false)] {
        let list = request("GET", format!("/tags/{tag}/photos?include=viewer")).by(caller);
        let answer = fixture.call(ListPhotosOfHashtag::start, list).await;
        assert_eq!(answer.body["viewer"], json!({ "followed": followed }), "{caller} {tag}");
        assert_eq!(fixture.operations(), ["BatchGetItem", "Query", "Query", "BatchGetItem"]);
    }
    let answer = fixture.call(ListPhotosOfHashtag::start, request("GET", URI).by("ben")).await;
    assert!(answer.body.get("viewer").is_none());
}

/// A page reads at most twelve months, and then goes on with a cursor.
#[tokio::test]
async fn a_page_of_many_months_with_few_photos_is_bounded() {
    let fixture = Fixture::new("list-photos-of-hashtag").await;
    let ids: Vec<String> =
        (0..30).map(|month| format!("{}-{:02}-01T00:00:00.000Z", 2022 + month / 12, 1 + month % 12)).collect();
    for id in &ids {
        publish(&fixture, captioned("ada", id, "#rare")).await;
    }
    // Of some months, only the summary is left.
    for id in &ids[10..20] {
        put(&fixture, captioned("ada", id, "rare")).await;
    }
    let first = request("GET", "/tags/rare/photos").by("ben");
    let (mut next, mut pages, mut queries) = (first.clone(), vec![], vec![]);
    loop {
        let page = fixture.call(ListPhotosOfHashtag::start, next).await;
        pages.push(page.body["photos"].as_array().unwrap().len());
        queries.push(fixture.operations().iter().filter(|operation| *operation == "Query").count());
        let Some(cursor) = page.body["nextCursor"].as_str() else { break };
        next = first.clone().query("cursor", cursor);
    }
    assert_eq!((pages, queries), (vec![10, 4, 6], vec![12, 12, 6]));
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    let list = |tag: &str| request("GET", format!("/tags/{tag}/photos")).by("ben");
    for tag in ["1", "_", "a-b", "~23a", "a~20b", "a.b", &"a".repeat(51)] {
        fixture.refuses_field(ListPhotosOfHashtag::start, list(tag), "tag").await;
    }
    fixture.refuses_field(ListPhotosOfHashtag::start, list("dawn").query("include", "comments"), "include").await;
    fixture.refuses_bad_pages(ListPhotosOfHashtag::start, URI).await;
    fixture.needs_a_caller(ListPhotosOfHashtag::start, request("GET", URI)).await;
}
