use super::*;
use serde_json::{Value, json};
use shared::entities::Picture;
use testing::{FEED, Fixture, engagement, in_shard, photo, photo_deletion, photo_with, reaction, ready, request, user};

const URI: &str = "/users/cara/reactions?type=heart";

/// Returns the item of a reaction that was given at the time `at`.
fn reaction_at(at: &str, reacting: &str, reaction_type: &str, username: &str, id: &str) -> Item {
    let mut item = reaction(reacting, reaction_type, username, id);
    item.insert("timestamp".to_owned(), S(at.to_owned()));
    item
}

/// Puts `count` photos of zoe, a second apart, and hearts of cara to them: the newest heart to the
/// oldest photo.
async fn put_photos_of_zoe(fixture: &Fixture, count: usize) {
    for number in 0..count {
        let id = format!("2024-01-01T00:{:02}:{:02}", number / 60, number % 60);
        let at = format!("2025-01-01T00:{:02}:{:02}.000Z", (count - number) / 60, (count - number) % 60);
        fixture.put(photo("zoe", &id)).await;
        fixture.put(reaction_at(&at, "cara", "heart", "zoe", &id)).await;
    }
}

/// Some of the requests are sent at the same time.
fn sorted(mut operations: Vec<String>) -> Vec<String> {
    operations.sort();
    operations
}

/// Returns the owners and ids of photos.
fn ids(photos: &Value) -> Vec<(&str, &str)> {
    let photos = photos.as_array().unwrap().iter();
    photos.map(|photo| (photo["username"].as_str().unwrap(), photo["id"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn returns_all_fields_of_a_photo() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    let mut answer = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben")).await;
    let urls = answer.body["photos"][0].as_object_mut().unwrap().remove("urls").unwrap();
    assert_eq!(testing::widths(&urls), [440, 800, 1600]);
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.body,
        json!({
            "photos": [{
                "username": "ada", "id": "2024-05-30T15:42:38", "timestamp": "2024-05-30T15:42:38Z", "status": "ready", "width": 1600, "height": 1067, "comments": 2, "blurhash": "LxJGc;t6RQof-Bj[azjZ0#R*kCjZ",
                "reactions": testing::counts(&[("heart", 1)]), "reactionType": "heart",
                "reacted": "2024-06-02T09:30:00Z",
            }],
            "people": {},
            "nextCursor": null,
        })
    );
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn answers_the_sample_event_with_the_photos_of_one_user_and_type() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    for (reacting, reaction_type, id) in [
        ("ines", "+1", "2024-05-30T15:42:38"),
        ("ines", "heart", "2024-06-09T13:49:13"),
        ("ine", "+1", "2024-06-09T13:49:13"),
        ("ines-2", "+1", "2024-06-09T13:49:13"),
    ] {
        fixture.put(reaction(reacting, reaction_type, "ada", id)).await;
    }
    let answer = fixture.call_with_sample_event(ListReactionsOfUser::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(ids(&answer.body["photos"]), [("ada", "2024-05-30T15:42:38")]);
}

#[tokio::test]
async fn returns_the_newest_reaction_first_whenever_the_photo_was_taken() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    for (at, owner, id) in [
        ("2024-07-20T10:00:00.000Z", "ben", "2024-07-14T10:21:01"),
        ("2025-01-01T10:00:00.000Z", "ada", "2024-06-09T13:49:13"),
        ("2024-08-01T10:00:00.000Z", "ben", "2024-06-26T03:59:33"),
    ] {
        fixture.put(reaction_at(at, "cara", "heart", owner, id)).await;
    }
    let answer = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ada")).await;
    assert_eq!(
        ids(&answer.body["photos"]),
        [
            ("ada", "2024-06-09T13:49:13"),
            ("ben", "2024-06-26T03:59:33"),
            ("ben", "2024-07-14T10:21:01"),
            ("ada", "2024-05-30T15:42:38"),
        ]
    );
}

/// They are before, between and after the others, and more than a page has.
#[tokio::test]
async fn leaves_out_reactions_of_another_program_to_something_that_is_no_photo() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    for (at, id) in
        [("2025-01-01T10:00:00.000Z", "2024-07-14T10:21:01"), ("2025-02-01T10:00:00.000Z", "2024-06-26T03:59:33")]
    {
        fixture.put(reaction_at(at, "cara", "heart", "ben", id)).await;
    }
    for month in ["2025-03", "2025-01", "2024-01"] {
        for number in 0..3 {
            let at = format!("{month}-02T10:00:00.00{number}Z");
            let song = reaction_at(&at, "cara", "heart", "ben", "2024-07-14T10:21:01");
            let song = testing::with(song, "SK", format!("SONG#{at}"));
            fixture.put(testing::with(song, "photo", format!("SONG#{at}"))).await;
        }
    }
    for uri in [URI, "/users/cara/reactions?include=people"] {
        let photos = fixture.pages(ListReactionsOfUser::start, uri, "photos", async |_: &Fixture| {}).await;
        let expected = [("ben", "2024-06-26T03:59:33"), ("ben", "2024-07-14T10:21:01"), ("ada", "2024-05-30T15:42:38")];
        assert_eq!(ids(&json!(photos)), expected, "{uri}");
    }
}

#[tokio::test]
async fn orders_times_in_seconds_and_in_milliseconds_together() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    // The seed data has the reaction of 09:30:00.
    for (at, owner, id) in [
        ("2024-06-02T09:30:00.500Z", "ben", "2024-07-14T10:21:01"),
        ("2024-06-02T09:29:59", "ada", "2024-06-09T13:49:13"),
        ("2024-06-02T09:30:01", "ben", "2024-06-26T03:59:33"),
    ] {
        fixture.put(reaction_at(at, "cara", "heart", owner, id)).await;
    }
    let photos = fixture.pages(ListReactionsOfUser::start, URI, "photos", async |_: &Fixture| {}).await;
    assert_eq!(
        ids(&json!(photos)),
        [
            ("ben", "2024-06-26T03:59:33"),
            ("ben", "2024-07-14T10:21:01"),
            ("ada", "2024-05-30T15:42:38"),
            ("ada", "2024-06-09T13:49:13"),
        ]
    );
}

#[tokio::test]
async fn returns_an_empty_list_for_a_user_without_reactions_of_the_type() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    for uri in
        ["/users/cara/reactions?type=smiley", "/users/ben/reactions?type=heart", "/users/nobody/reactions?type=heart"]
    {
        let answer = fixture.call(ListReactionsOfUser::start, request("GET", uri).by("ada")).await;
        assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "people": {}, "nextCursor": null})));
        assert_eq!(fixture.operations(), ["Query"]);
    }
}

#[tokio::test]
async fn returns_every_photo_once_during_concurrent_writes() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 4).await;
    let photos = fixture
        .pages(ListReactionsOfUser::start, URI, "photos", async |fixture: &Fixture| {
            fixture.put(reaction("cara", "heart", "ben", "2024-06-26T03:59:33")).await;
            fixture.put(reaction("cara", "smiley", "zoe", "2024-01-01T00:00:02")).await;
            fixture.put(reaction("ben", "heart", "zoe", "2024-01-01T00:00:02")).await;
        })
        .await;
    assert_eq!(
        ids(&json!(photos)),
        [
            ("zoe", "2024-01-01T00:00:00"),
            ("zoe", "2024-01-01T00:00:01"),
            ("zoe", "2024-01-01T00:00:02"),
            ("zoe", "2024-01-01T00:00:03"),
            ("ada", "2024-05-30T15:42:38"),
        ]
    );
}

#[tokio::test]
async fn returns_every_photo_once_when_reactions_have_the_same_time() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    fixture.put(photo("zoe", "2024-01-01T00:00:00")).await;
    for (owner, id) in [
        ("ada", "2024-06-09T13:49:13"),
        ("ben", "2024-06-26T03:59:33"),
        ("ben", "2024-07-14T10:21:01"),
        ("zoe", "2024-01-01T00:00:00"),
    ] {
        // The time of the reaction in the seed data.
        let reaction = reaction_at("2024-06-02T09:30:00", "cara", "heart", owner, id);
        fixture.put(if owner == "ben" { in_shard(reaction) } else { reaction }).await;
    }
    let seen = json!(fixture.pages(ListReactionsOfUser::start, URI, "photos", async |_: &Fixture| {}).await);
    let mut seen = ids(&seen);
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            ("ada", "2024-05-30T15:42:38"),
            ("ada", "2024-06-09T13:49:13"),
            ("ben", "2024-06-26T03:59:33"),
            ("ben", "2024-07-14T10:21:01"),
            ("zoe", "2024-01-01T00:00:00"),
        ]
    );
}

#[tokio::test]
async fn leaves_out_deleted_photos_and_goes_on_with_the_next_one() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 2).await;
    fixture.delete(Key::photo(&"zoe".parse().unwrap(), &"2024-01-01T00:00:00".parse().unwrap())).await;
    let first = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben").query("limit", "1")).await;
    assert_eq!(ids(&first.body["photos"]), [("zoe", "2024-01-01T00:00:01")]);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second = request("GET", URI).by("ben").query("limit", "3").query("cursor", cursor);
    let second = fixture.call(ListReactionsOfUser::start, second).await;
    assert_eq!(ids(&second.body["photos"]), [("ada", "2024-05-30T15:42:38")]);
    assert_eq!(second.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn leaves_out_photos_in_deletion() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 2).await;
    fixture.put(photo_deletion("zoe", "2024-01-01T00:00:00", 1)).await;
    let answer = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben")).await;
    assert_eq!(ids(&answer.body["photos"]), [("zoe", "2024-01-01T00:00:01"), ("ada", "2024-05-30T15:42:38")]);
}

#[tokio::test]
async fn leaves_out_a_photo_that_is_deleted_between_the_two_reads() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 2).await;
    fixture.write_concurrently(1, vec![], vec![photo("zoe", "2024-01-01T00:00:01")]);
    let answer = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben")).await;
    assert_eq!(ids(&answer.body["photos"]), [("zoe", "2024-01-01T00:00:00"), ("ada", "2024-05-30T15:42:38")]);
}

#[tokio::test]
async fn returns_up_to_99_photos_on_a_page() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 104).await;
    let call = async |query: &str| {
        fixture.call(ListReactionsOfUser::start, request("GET", format!("{URI}{query}")).by("ben")).await
    };
    assert_eq!(ids(&call("").await.body["photos"]).len(), 50);
    let _ = fixture.operations();
    let first = call("&limit=100").await;
    assert_eq!(ids(&first.body["photos"]).len(), 99);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    let second = call(&format!("&limit=100&cursor={}", first.body["nextCursor"].as_str().unwrap())).await;
    assert_eq!(ids(&second.body["photos"]).len(), 6);
    assert_eq!(second.body["nextCursor"], json!(null));
}

#[tokio::test]
async fn refuses_a_cursor_of_another_user_or_type() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 2).await;
    let first = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben").query("limit", "1")).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    for uri in ["/users/cara/reactions?type=smiley", "/users/ben/reactions?type=heart"] {
        let other = request("GET", uri).by("ben").query("cursor", cursor);
        fixture.refuses_field(ListReactionsOfUser::start, other, "cursor").await;
    }
}

/// The photos can be those that the answer hides.
#[tokio::test]
async fn the_length_of_a_cursor_tells_neither_names_nor_types() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    let long = "z".repeat(32);
    for (hour, reaction_type) in ReactionType::ALL.iter().enumerate() {
        for minute in 0..2 {
            let time = format!("2025-01-01T0{hour}:0{minute}:00.000Z");
            for (reacting, owner) in [("eve", "zoe"), ("dora", &long)] {
                fixture.put(photo(owner, &time)).await;
                fixture.put(reaction_at(&time, reacting, reaction_type.as_ref(), owner, &time)).await;
            }
        }
    }
    let mut lengths = vec![];
    for (reacting, limit) in [("eve", "1"), ("eve", "7"), ("dora", "1"), ("dora", "7")] {
        let list_of = request("GET", format!("/users/{reacting}/reactions")).by("ben").query("limit", limit);
        let page = fixture.call(ListReactionsOfUser::start, list_of).await;
        lengths.push(page.body["nextCursor"].as_str().unwrap().len());
    }
    assert_eq!(lengths, [720; 4]);
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 2).await;
    fixture.needs_a_caller(ListReactionsOfUser::start, request("GET", URI)).await;
    fixture
        .refuses_bad_usernames(ListReactionsOfUser::start, "username", |name| {
            request("GET", format!("/users/{name}/reactions?type=heart"))
        })
        .await;
    fixture.refuses_bad_pages(ListReactionsOfUser::start, URI).await;
    // In a query string, `+` is a space.
    for query in ["?type=", "?type=+1", "?type=1", "?type=Heart", "?type=like", "?type=heart&type=heart"] {
        let bad = request("GET", format!("/users/cara/reactions{query}")).by("ben");
        fixture.refuses_field(ListReactionsOfUser::start, bad, "type").await;
    }
}

#[tokio::test]
async fn without_a_type_all_reactions_are_listed_by_their_time() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    fixture.put(photo("zoe", "2025-01-01T00:00:00")).await;
    let types = ["heart", "smiley", "heart", "sunglasses", "+1", "heart", "smiley"];
    for (number, reaction_type) in types.iter().enumerate() {
        let id = format!("2025-02-0{}T00:00:00", number + 1);
        fixture.put(photo("zoe", &id)).await;
        fixture.put(reaction_at(&format!("2025-03-0{}T00:00:00", number + 1), "ben", reaction_type, "zoe", &id)).await;
    }
    // Two reactions to one photo are two entries.
    fixture.put(reaction_at("2025-03-08T00:00:00", "ben", "+1", "zoe", "2025-02-01T00:00:00")).await;
    fixture.put(reaction("cara", "heart", "zoe", "2025-02-01T00:00:00")).await;
    let listed = |photos: &[Value]| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        photos.iter().map(|photo| (text(&photo["reacted"]), text(&photo["reactionType"]))).collect()
    };
    let mut expected: Vec<(String, String)> = types
        .iter()
        .enumerate()
        .map(|(number, kind)| (format!("2025-03-0{}T00:00:00Z", number + 1), (*kind).to_owned()))
        .collect();
    expected.push(("2025-03-08T00:00:00Z".to_owned(), "+1".to_owned()));
    expected.reverse();

    let answer = fixture.call(ListReactionsOfUser::start, request("GET", "/users/ben/reactions").by("ada")).await;
    assert_eq!(listed(answer.body["photos"].as_array().unwrap()), expected);
    assert_eq!(answer.body["nextCursor"], Value::Null);
    let operations = ["BatchGetItem", "Query", "Query", "Query", "Query"];
    assert_eq!(sorted(fixture.operations()), operations);
    let pages =
        fixture.pages(ListReactionsOfUser::start, "/users/ben/reactions", "photos", async |_: &Fixture| {}).await;
    assert_eq!(listed(&pages), expected);
}

#[tokio::test]
async fn shows_the_engagement_of_the_caller() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    fixture.put_in(FEED, engagement("ben", "ada", "2024-05-30T15:42:38", &["smiley"])).await;
    let answer =
        fixture.call(ListReactionsOfUser::start, request("GET", format!("{URI}&include=viewer")).by("ben")).await;
    assert_eq!(answer.body["photos"][0]["viewer"], json!({"reactions": ["smiley"], "saved": false}));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn includes_the_owners_of_the_photos_that_it_shows() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    fixture.put(user("zoe")).await;
    fixture.put(testing::with(photo("zoe", "2024-01-01T00:00:00"), "audience", "me")).await;
    fixture.put(reaction("cara", "heart", "zoe", "2024-01-01T00:00:00")).await;
    let list = async |include: &str| {
        let uri = format!("/users/cara/reactions?include={include}");
        fixture.call(ListReactionsOfUser::start, request("GET", uri).by("ben")).await.body
    };
    let both = list("people,viewer").await;
    let owners: Vec<_> = both["people"].as_object().unwrap().keys().collect();
    assert_eq!(owners, ["ada"], "{both}");
    assert!(both["people"]["ada"]["name"].is_string() && both["photos"][0]["viewer"].is_object());
    assert_eq!(fixture.operations().iter().filter(|operation| *operation == "BatchGetItem").count(), 1);
    assert!(list("viewer").await["people"] == json!({}));
}

#[tokio::test]
async fn only_the_owner_sees_photos_that_are_not_ready() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    for (id, picture) in [("2026-01-01T00:00:00", Picture::Pending), ("2026-01-02T00:00:00", ready(b"file"))] {
        fixture.put(photo_with("ada", id, picture)).await;
        fixture.put(reaction("ben", "smiley", "ada", id)).await;
    }
    for (by, seen) in [("ben", 1), ("cara", 1), ("ada", 2)] {
        let answer =
            fixture.call(ListReactionsOfUser::start, request("GET", "/users/ben/reactions?type=smiley").by(by)).await;
        assert_eq!(answer.body["photos"].as_array().unwrap().len(), seen, "{by}");
    }
}

#[tokio::test]
async fn a_page_is_full_of_photos_that_the_caller_may_see() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 6).await;
    for (second, audience) in [(0, "followers"), (1, "me"), (3, "me"), (4, "followers")] {
        let photo = photo("zoe", &format!("2024-01-01T00:00:0{second}"));
        fixture.put(testing::with(photo, "audience", audience)).await;
    }
    fixture.put(testing::friendship("zoe", "ben")).await;
    let zoe = |second: u32| ("zoe".to_owned(), format!("2024-01-01T00:00:0{second}"));
    let ada = ("ada".to_owned(), "2024-05-30T15:42:38".to_owned());
    for (caller, seconds) in [("ada", vec![2, 5]), ("ben", vec![0, 2, 4, 5])] {
        let mut found = vec![];
        let mut list_of_cara = request("GET", URI).by(caller).query("limit", "2");
        loop {
            let page = fixture.call(ListReactionsOfUser::start, list_of_cara).await.body;
            let ids = ids(&page["photos"]);
            found.extend(ids.iter().map(|(owner, at)| ((*owner).to_owned(), (*at).to_owned())));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            assert_eq!(ids.len(), 2);
            list_of_cara = request("GET", URI).by(caller).query("limit", "2").query("cursor", cursor);
        }
        let expected: Vec<_> = seconds.into_iter().map(zoe).chain([ada.clone()]).collect();
        assert_eq!(found, expected, "{caller}");
    }
}

#[tokio::test]
async fn leaves_out_the_photos_of_those_who_block_the_caller() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 1).await;
    fixture.put(testing::with_count(testing::user("ben"), "blockedBy", 1)).await;
    fixture.put(testing::block("zoe", "ben", shared::values::Level::Block)).await;
    let answer = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben")).await;
    assert_eq!(ids(&answer.body["photos"]), [("ada", "2024-05-30T15:42:38")]);
    fixture.put(testing::block("cara", "ben", shared::values::Level::Block)).await;
    let answer = fixture.call(ListReactionsOfUser::start, request("GET", URI).by("ben")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "people": {}, "nextCursor": null})));
}

#[tokio::test]
async fn somebody_whom_the_caller_blocks_has_no_card() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    put_photos_of_zoe(&fixture, 1).await;
    fixture.put(testing::user("zoe")).await;
    let get = || request("GET", URI).by("ben").query("include", "people");
    let people = fixture.call(ListReactionsOfUser::start, get()).await.body["people"].clone();
    assert!(people["zoe"].is_object() && people["ada"].is_object(), "{people}");
    fixture.put(testing::with_count(testing::user("ben"), "blocks", 1)).await;
    fixture.put(testing::block("ben", "zoe", shared::values::Level::Block)).await;
    let body = fixture.call(ListReactionsOfUser::start, get()).await.body;
    assert!(ids(&body["photos"]).contains(&("zoe", "2024-01-01T00:00:00")), "{body}");
    assert!(body["people"]["zoe"].is_null() && body["people"]["ada"].is_object(), "{body}");
}

#[tokio::test]
async fn the_caller_decides_whether_sensitive_photos_have_their_pictures() {
    let fixture = Fixture::new("list-reactions-of-user").await;
    fixture.put(photo_with("zoe", "2024-01-01T00:00:00", ready(b"file"))).await;
    fixture.put(reaction_at("2025-01-01T00:00:00.000Z", "cara", "heart", "zoe", "2024-01-01T00:00:00")).await;
    for query in ["", "&include=people,viewer"] {
        let get = |caller: &str| request("GET", format!("{URI}{query}")).by(caller);
        fixture.hides_sensitive_pictures(ListReactionsOfUser::start, ("zoe", "2024-01-01T00:00:00"), get).await;
    }
}
