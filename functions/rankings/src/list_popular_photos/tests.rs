use super::*;
use crate::samples::{liked, put_photos, put_ranking};
use serde_json::{Value, json};
use shared::entities::Picture;
use shared::values::{Level, ReportReason};
use testing::{
    FEED, Fixture, QUICK_PHOTOS, block, engagement, friendship, photo_deletion, photo_with, ready, rejected, request,
    user, with, with_count,
};

/// The ranked photos, from the first.
const RANKED: [(&str, &str); 5] = [
    ("zoe", "2024-07-01T00:00:00.000Z"),
    ("yan", "2024-07-02T00:00:00.000Z"),
    ("zoe", "2024-07-03T00:00:00.000Z"),
    ("dan", "2024-07-04T00:00:00.000Z"),
    ("yan", "2024-07-05T00:00:00.000Z"),
];
const URI: &str = "/explore";

/// Returns a fixture with a ranking of the last minute.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("list-popular-photos").await;
    put_photos(&fixture, &RANKED).await;
    put_ranking(&fixture, 1, &RANKED).await;
    fixture
}

async fn put(fixture: &Fixture, item: Item) {
    fixture.put_in(QUICK_PHOTOS, item).await;
}

/// Returns the photos that a caller sees, as the number of each in [`RANKED`].
async fn seen_by(fixture: &Fixture, caller: &'static str) -> Vec<usize> {
    let answer = fixture.call(ListPopularPhotos::start, request("GET", URI).by(caller)).await;
    assert_eq!((answer.status, &answer.body["nextCursor"]), (200, &Value::Null), "{}", answer.body);
    numbers(&answer.body["photos"])
}

fn numbers(photos: &Value) -> Vec<usize> {
    let ids = photos.as_array().unwrap().iter().map(|photo| photo["id"].as_str().unwrap());
    ids.map(|id| RANKED.iter().position(|(_, other)| *other == id).unwrap()).collect()
}

#[tokio::test]
async fn answers_the_sample_event_with_the_newest_ranking() {
    let fixture = fixture().await;
    put_ranking(&fixture, 2, &RANKED[3..]).await;
    let answer = fixture.call_with_sample_event(ListPopularPhotos::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(numbers(&answer.body["photos"]), [0, 1, 2, 3, 4]);
    let mut operations = fixture.operations();
    operations.sort();
    assert_eq!(operations, ["BatchGetItem", "GetItem", "Query"]);
}

#[tokio::test]
async fn without_a_ranking_or_with_an_expired_one_the_list_is_empty() {
    let fixture = Fixture::new("list-popular-photos").await;
    for photos in [&[][..], &RANKED] {
        let answer = fixture.call(ListPopularPhotos::start, request("GET", URI).by("ben")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "people": {}, "nextCursor": null})));
        put_ranking(&fixture, 61, photos).await;
    }
}

#[tokio::test]
async fn leaves_out_own_photos_and_those_of_people_whom_the_caller_follows_or_mutes() {
    let fixture = fixture().await;
    assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 2, 3, 4]);
    assert_eq!(seen_by(&fixture, "zoe").await, [1, 3, 4]);
    put(&fixture, friendship("yan", "ben")).await;
    put(&fixture, friendship("ben", "dan")).await;
    assert_eq!(seen_by(&fixture, "ben").await, [0, 2, 3]);
    put(&fixture, with_count(user("ben"), "mutes", 1)).await;
    put(&fixture, block("ben", "zoe", Level::Mute)).await;
    put(&fixture, block("dan", "ben", Level::Mute)).await;
    assert_eq!(seen_by(&fixture, "ben").await, [3]);
}

#[tokio::test]
async fn a_blocked_pair_does_not_see_each_others_photos() {
    for (blocking, blocked) in [("ben", "zoe"), ("zoe", "ben")] {
        let fixture = fixture().await;
        let (blocks, blocked_by) = if blocking == "ben" { ("blocks", "blockedBy") } else { ("blockedBy", "blocks") };
        put(&fixture, with_count(user("ben"), blocks, 1)).await;
        put(&fixture, with_count(user("zoe"), blocked_by, 1)).await;
        put(&fixture, block(blocking, blocked, Level::Block)).await;
        assert_eq!(seen_by(&fixture, "ben").await, [1, 3, 4], "{blocking}");
        assert_eq!(fixture.operations().len(), 4, "the blocks take one request more");
        assert_eq!(seen_by(&fixture, "cara").await, [0, 1, 2, 3, 4]);
        let first = request("GET", format!("{URI}?limit=1&include=people")).by("ben");
        let answer = fixture.call(ListPopularPhotos::start, first).await;
        assert_eq!(numbers(&answer.body["photos"]), [1], "the page is filled with further photos");
        assert!(answer.body["people"].get("zoe").is_none());
    }
}

/// A ranking may be some minutes behind the photos.
#[tokio::test]
async fn shows_only_photos_that_everyone_may_see_now_and_that_are_not_sensitive() {
    let (owner, id) = RANKED[2];
    let removed = Picture::Removed { reason: ReportReason::Spam, sizes: ready(b"file").sizes().cloned() };
    for item in [
        photo_deletion(owner, id, 0),
        photo_with(owner, id, Picture::Pending),
        photo_with(owner, id, rejected()),
        photo_with(owner, id, removed),
        with(liked(owner, id, 9), "audience", "me"),
        with(liked(owner, id, 9), "audience", "followers"),
        with(liked(owner, id, 9), "sensitive", "nudity"),
    ] {
        let fixture = fixture().await;
        put(&fixture, item).await;
        for caller in ["ben", "cara"] {
            assert_eq!(seen_by(&fixture, caller).await, [0, 1, 3, 4], "{caller}");
        }
        fixture.delete(Key::photo(&owner.parse().unwrap(), &id.parse().unwrap())).await;
        assert_eq!(seen_by(&fixture, "ben").await, [0, 1, 3, 4]);
    }
}

#[tokio::test]
async fn returns_every_photo_once_while_new_rankings_come() {
    let fixture = fixture().await;
    let reversed: Vec<_> = RANKED.iter().rev().copied().collect();
    let photos = fixture
        .pages(ListPopularPhotos::start, URI, "photos", async |fixture: &Fixture| {
            put_ranking(fixture, 0, &reversed).await;
            put(fixture, liked("cara", "2024-08-01T00:00:00.000Z", 100)).await;
        })
        .await;
    assert_eq!(numbers(&photos.into()), [0, 1, 2, 3, 4]);
    assert_eq!(seen_by(&fixture, "ben").await, [4, 3, 2, 1, 0]);
}

#[tokio::test]
async fn a_list_that_began_more_than_an_hour_ago_ends() {
    let fixture = Fixture::new("list-popular-photos").await;
    put_photos(&fixture, &RANKED).await;
    put_ranking(&fixture, 59, &RANKED).await;
    let first = request("GET", URI).by("ben").query("limit", "2");
    let page = fixture.call(ListPopularPhotos::start, first.clone()).await;
    assert_eq!(numbers(&page.body["photos"]), [0, 1]);
    let minute =
        fixture.all_items_of(FEED).await.into_keys().find_map(|key| Some(key.strip_prefix("Ranking ")?.to_owned()));
    fixture.set_ttl(FEED, Key::ranking(&minute.unwrap()), 1).await;
    put_ranking(&fixture, 0, &RANKED).await;
    let next = first.query("cursor", page.body["nextCursor"].as_str().unwrap());
    let page = fixture.call(ListPopularPhotos::start, next).await;
    assert_eq!((page.status, page.body), (200, json!({"photos": [], "people": {}, "nextCursor": null})));
}

#[tokio::test]
async fn includes_the_owners_and_what_the_caller_did() {
    let fixture = fixture().await;
    put(&fixture, user("zoe")).await;
    fixture.put_in(FEED, engagement("ben", "zoe", RANKED[0].1, &["heart"])).await;
    let list = request("GET", format!("{URI}?include=people,viewer")).by("ben");
    let answer = fixture.call(ListPopularPhotos::start, list).await;
    assert_eq!(answer.body["people"], json!({"zoe": {"name": "zoe"}}));
    assert_eq!(answer.body["photos"][0]["viewer"], json!({"reactions": ["heart"], "saved": false}));
    assert_eq!(answer.body["photos"][1]["viewer"], json!({"reactions": [], "saved": false}));
}

/// Everybody sees the same photos, so a process reads a ranking once a minute, and a photo a few times
/// a second.
#[tokio::test]
async fn a_process_remembers_what_everybody_reads() {
    let fixture = fixture().await;
    put(&fixture, friendship("yan", "cara")).await;
    let service = fixture.service(ListPopularPhotos::start);
    for _ in 0..3 {
        fixture.send(&service, request("GET", URI).by("ben")).await;
    }
    let _ = fixture.operations();
    let answer = fixture.send(&service, request("GET", URI).by("cara")).await;
    assert_eq!(numbers(&answer.body["photos"]), [0, 2, 3], "friendships are always read");
    assert_eq!(fixture.operations(), ["GetItem", "BatchGetItem"]);
}

/// A page reads photos at most four times, and then goes on with a cursor.
#[tokio::test]
async fn a_page_of_many_photos_that_do_not_show_is_bounded() {
    let fixture = Fixture::new("list-popular-photos").await;
    let ids: Vec<String> = (0..300).map(|n| format!("2024-07-01T00:{:02}:{:02}.000Z", n / 60, n % 60)).collect();
    let photos: Vec<(&str, &str)> = ids.iter().map(|id| ("zoe", id.as_str())).collect();
    put_photos(&fixture, &photos[299..]).await;
    put_ranking(&fixture, 1, &photos).await;
    let first = request("GET", URI).by("ben").query("limit", "10");
    let (mut next, mut pages) = (first.clone(), vec![]);
    loop {
        let page = fixture.call(ListPopularPhotos::start, next).await;
        pages.push(page.body["photos"].as_array().unwrap().len());
        assert!(fixture.operations().len() <= 2 + MAX_ROUNDS);
        let Some(cursor) = page.body["nextCursor"].as_str() else { break };
        next = first.clone().query("cursor", cursor);
    }
    assert_eq!(pages, [0, 1]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = fixture().await;
    let list = request("GET", URI).by("ben");
    fixture.refuses_field(ListPopularPhotos::start, list.clone().query("include", "comments"), "include").await;
    fixture.refuses_field(ListPopularPhotos::start, list.query("q", "x"), "q").await;
    fixture.refuses_bad_pages(ListPopularPhotos::start, URI).await;
    fixture.needs_a_caller(ListPopularPhotos::start, request("GET", URI)).await;
}
