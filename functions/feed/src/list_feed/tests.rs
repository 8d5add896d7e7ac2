mod hashtags;

use super::remembered::MEMORY;
use super::*;
use aws_sdk_dynamodb::types::AttributeValue::Bool;
use serde_json::{Value, json};
use shared::dynamodb::entity;
use shared::entities::{Delivery, Engagement, Key, Latest, Picture, entry_item};
use shared::runtime::route::Service;
use shared::values::{PhotoId, ReactionType};
use testing::{FEED, Fixture, deletion, friendship, photo, photo_deletion, photo_with, ready, request, user};

const URI: &str = "/users/ben/feed";

fn name(username: &str) -> Username {
    username.parse().unwrap()
}

/// Returns the id of a photo, a minute after that of the number before.
fn minute(number: usize) -> String {
    format!("2025-01-01T{:02}:{:02}:00.000Z", number / 60, number % 60)
}

/// Lets a reader follow an author.
async fn follow(fixture: &Fixture, reader: &str, author: &str) {
    fixture.put(user(author)).await;
    fixture.put(friendship(author, reader)).await;
}

/// Puts an entry, without its photo.
async fn push(fixture: &Fixture, reader: &str, author: &str, id: &str) {
    let position = Position { id: id.parse().unwrap(), author: name(author) };
    fixture.put_in(FEED, entry_item(&name(reader), &position)).await;
}

/// Puts photos of an author, and their entries in the feed of a reader.
async fn post(fixture: &Fixture, reader: &str, author: &str, ids: &[String]) {
    for id in ids {
        fixture.put(photo(author, id)).await;
        push(fixture, reader, author, id).await;
    }
}

/// Lets a reader pull an author, who has these photos, and who is not converted yet.
async fn pull(fixture: &Fixture, reader: &str, author: &str, ids: &[String]) {
    for id in ids {
        fixture.put(photo(author, id)).await;
    }
    fixture.put_in(FEED, Key::pull(&name(reader), &name(author)).into()).await;
    let photos = ids.iter().map(|id| id.parse::<PhotoId>().unwrap()).collect();
    let latest = Latest { author: name(author), photos, delivery: Delivery::Pull, converted: None };
    fixture.put_in(FEED, entity::to_item(Key::latest(&latest.author), &latest).unwrap()).await;
}

/// Returns the authors and ids of photos.
fn ids(photos: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    photos.as_array().unwrap().iter().map(|photo| (text(&photo["username"]), text(&photo["id"]))).collect()
}

fn id(author: &str, photo: impl Into<String>) -> (String, String) {
    (author.to_owned(), photo.into())
}

async fn first_page(fixture: &Fixture) -> Vec<(String, String)> {
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    ids(&answer.body["photos"])
}

#[tokio::test]
async fn answers_the_sample_event_with_the_photos_of_those_whom_the_caller_follows() {
    let fixture = Fixture::new("list-feed").await;
    // Neither of these is in the feed of ben.
    follow(&fixture, "cara", "zoe").await;
    post(&fixture, "cara", "zoe", &[minute(1)]).await;
    let answer = fixture.call_with_sample_event(ListFeed::start).await;
    assert_eq!(answer.status, 200);
    assert_eq!(ids(&answer.body["photos"]), [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")]);
    assert_eq!(answer.body["nextCursor"], Value::Null);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn shows_each_photo_as_other_lists_do() {
    let fixture = Fixture::new("list-feed").await;
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("limit", "1")).await;
    let photo = &answer.body["photos"][0];
    assert_eq!((&photo["status"], &photo["height"]), (&json!("ready"), &json!(1600)));
    assert!(photo["urls"][0]["url"].is_string() && photo["reactions"]["heart"].is_number(), "{photo}");
}

#[tokio::test]
async fn an_empty_feed_takes_one_request() {
    let fixture = Fixture::new("list-feed").await;
    let answer = fixture.call(ListFeed::start, request("GET", "/users/cara/feed").by("cara")).await;
    assert_eq!((answer.status, answer.body), (200, json!({"photos": [], "people": {}, "nextCursor": null})));
    assert_eq!(fixture.operations(), ["Query"]);
}

#[tokio::test]
async fn the_cards_of_the_authors_come_in_any_case() {
    let fixture = Fixture::new("list-feed").await;
    let plain = fixture.call_with_sample_event(ListFeed::start).await;
    let author = plain.body["photos"][0]["username"].as_str().unwrap();
    assert!(plain.body["people"][author]["name"].is_string(), "{}", plain.body);
    let list = request("GET", "/users/ben/feed?include=people").by("ben");
    assert_eq!(fixture.call(ListFeed::start, list).await.body["people"], plain.body["people"]);
}

#[tokio::test]
async fn drops_what_is_gone_and_what_is_not_ready() {
    let fixture = Fixture::new("list-feed").await;
    follow(&fixture, "ben", "zoe").await;
    post(&fixture, "ben", "zoe", &[minute(1), minute(2), minute(3), minute(4), minute(5)]).await;
    fixture.delete(Key::photo(&name("zoe"), &minute(1).parse().unwrap())).await;
    fixture.put(photo_deletion("zoe", &minute(2), 0)).await;
    fixture.put(photo_with("zoe", &minute(3), Picture::Pending)).await;
    fixture.put(photo_with("zoe", &minute(4), testing::rejected())).await;
    fixture.put(photo_with("zoe", &minute(5), ready(b"file"))).await;
    // It has the id of one that was deleted.
    post(&fixture, "ben", "zoe", &[minute(6)]).await;
    let imported = photo_with("zoe", &minute(6), ready(b"file"));
    fixture.put(imported.into_iter().chain([("imported".to_owned(), Bool(true))]).collect()).await;
    let ada = [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")];
    assert_eq!(first_page(&fixture).await, [&[id("zoe", minute(5))][..], &ada].concat());
}

#[tokio::test]
async fn drops_an_author_whom_the_caller_does_not_follow_any_more() {
    let fixture = Fixture::new("list-feed").await;
    fixture.delete(Key::friendship(&name("ada"), &name("ben"))).await;
    assert_eq!(first_page(&fixture).await, []);
    // That cara follows ada does not count, nor that ada follows ben.
    fixture.put(friendship("ada", "cara")).await;
    fixture.put(friendship("ben", "ada")).await;
    assert_eq!(first_page(&fixture).await, []);
}

#[tokio::test]
async fn drops_an_author_who_is_being_deleted() {
    let fixture = Fixture::new("list-feed").await;
    fixture.put(deletion("ada")).await;
    assert_eq!(first_page(&fixture).await, []);
    fixture.delete(Key::user(&name("ada"))).await;
    assert_eq!(first_page(&fixture).await, []);
}

/// DynamoDB deletes an expired entry some days later.
#[tokio::test]
async fn drops_an_entry_that_has_expired() {
    let fixture = Fixture::new("list-feed").await;
    for author in ["pia", "zoe"] {
        follow(&fixture, "ben", author).await;
    }
    post(&fixture, "ben", "zoe", &[1, 2, 3, 4].map(minute)).await;
    let expire = async |author: &str, id: String| {
        let position = Position { id: id.parse().unwrap(), author: name(author) };
        fixture.set_ttl(FEED, Key::entry(&name("ben"), &position), 1).await;
    };
    // The entry of an older photo expires later if its author was followed later.
    expire("zoe", minute(2)).await;
    expire("zoe", minute(3)).await;
    let ada = [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")];
    assert_eq!(first_page(&fixture).await, [&[id("zoe", minute(4)), id("zoe", minute(1))][..], &ada].concat());
    let pages = fixture.pages(ListFeed::start, URI, "photos", async |_| {}).await;
    assert_eq!(ids(&json!(pages)), [&[id("zoe", minute(4)), id("zoe", minute(1))][..], &ada].concat());

    // A photo that the reader pulls does not need the entry of before.
    pull(&fixture, "ben", "pia", &[minute(5)]).await;
    push(&fixture, "ben", "pia", &minute(5)).await;
    expire("pia", minute(5)).await;
    assert_eq!(first_page(&fixture).await[0], id("pia", minute(5)));
}

#[tokio::test]
async fn merges_pushed_and_pulled_photos_by_their_time() {
    let fixture = Fixture::new("list-feed").await;
    for author in ["pia", "zoe", "ines"] {
        follow(&fixture, "ben", author).await;
    }
    pull(&fixture, "ben", "pia", &[minute(1), minute(4)]).await;
    pull(&fixture, "ben", "zoe", &[minute(3)]).await;
    post(&fixture, "ben", "ines", &[minute(2), minute(5)]).await;
    // This photo of pia was pushed before she was pulled.
    push(&fixture, "ben", "pia", &minute(1)).await;
    // Cara pulls somebody else.
    follow(&fixture, "cara", "olga").await;
    pull(&fixture, "cara", "olga", &[minute(6)]).await;
    let expected = [
        id("ines", minute(5)),
        id("pia", minute(4)),
        id("zoe", minute(3)),
        id("ines", minute(2)),
        id("pia", minute(1)),
        id("ada", "2024-06-09T13:49:13"),
        id("ada", "2024-05-30T15:42:38"),
    ];
    assert_eq!(first_page(&fixture).await, expected);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
    let pages = fixture.pages(ListFeed::start, URI, "photos", async |_: &Fixture| {}).await;
    assert_eq!(ids(&json!(pages)), expected);
}

#[tokio::test]
async fn a_page_takes_three_requests_at_most() {
    let fixture = Fixture::new("list-feed").await;
    follow(&fixture, "ben", "zoe").await;
    follow(&fixture, "ben", "pia").await;
    pull(&fixture, "ben", "pia", &[minute(7)]).await;
    post(&fixture, "ben", "zoe", &(0..300).map(minute).collect::<Vec<_>>()).await;
    let mut next = request("GET", URI).by("ben").query("limit", "3");
    for _ in 0..4 {
        let page = fixture.call(ListFeed::start, next.clone()).await;
        assert_eq!(page.body["photos"].as_array().unwrap().len(), 3);
        let mut operations = fixture.operations();
        operations.sort();
        assert_eq!(operations, ["BatchGetItem", "BatchGetItem", "Query"]);
        next = request("GET", URI).by("ben").query("limit", "3");
        next = next.query("cursor", page.body["nextCursor"].as_str().unwrap());
    }
}

#[tokio::test]
async fn a_page_whose_authors_exceed_one_batch_takes_two() {
    let fixture = Fixture::new("list-feed").await;
    for number in 0..40 {
        let author = format!("author{number:02}");
        follow(&fixture, "ben", &author).await;
        post(&fixture, "ben", &author, &[minute(number)]).await;
    }
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben")).await;
    assert_eq!((ids(&answer.body["photos"]).len(), &answer.body["nextCursor"]), (42, &Value::Null));
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "Query", "BatchGetItem"]);
}

#[tokio::test]
async fn a_page_is_full_while_there_is_more() {
    let fixture = Fixture::new("list-feed").await;
    follow(&fixture, "ben", "zoe").await;
    post(&fixture, "ben", "zoe", &(0..10).map(minute).collect::<Vec<_>>()).await;
    // Ben does not follow pia any more, whose photos are newer.
    fixture.put(user("pia")).await;
    post(&fixture, "ben", "pia", &(10..60).map(minute).collect::<Vec<_>>()).await;
    let first = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("limit", "4")).await;
    let expected: Vec<_> = (6..10).rev().map(|number| ("zoe".to_owned(), minute(number))).collect();
    assert_eq!(ids(&first.body["photos"]), expected);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "Query", "BatchGetItem"]);
    let next = request("GET", URI).by("ben").query("cursor", first.body["nextCursor"].as_str().unwrap());
    let second = fixture.call(ListFeed::start, next).await;
    assert_eq!(ids(&second.body["photos"])[0], ("zoe".to_owned(), minute(5)));
    assert_eq!((ids(&second.body["photos"]).len(), &second.body["nextCursor"]), (6 + 2, &Value::Null));
}

#[tokio::test]
async fn the_requests_of_a_page_are_bounded() {
    let fixture = Fixture::new("list-feed").await;
    fixture.put(user("pia")).await;
    post(&fixture, "ben", "pia", &(0..600).map(minute).collect::<Vec<_>>()).await;
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("limit", "1")).await;
    assert_eq!(answer.body["photos"], json!([]));
    assert!(answer.body["nextCursor"].is_string());
    assert_eq!(fixture.operations().len(), 2 * MAX_ROUNDS);
}

#[tokio::test]
async fn a_page_has_the_authors_and_what_the_reader_did() {
    let fixture = Fixture::new("list-feed").await;
    let reactions = [ReactionType::Heart].into();
    let engagement = Engagement { reactions, saved: true };
    fixture.put_in(FEED, engagement.item(&name("ben"), &name("ada"), &"2024-06-09T13:49:13".parse().unwrap())).await;
    fixture.put_in(FEED, engagement.item(&name("cara"), &name("ada"), &"2024-05-30T15:42:38".parse().unwrap())).await;
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("include", "viewer")).await;
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
    assert_eq!(answer.body["people"].as_object().unwrap().keys().collect::<Vec<_>>(), ["ada"]);
    assert_eq!(answer.body["people"]["ada"]["name"], "Ada Marsh");
    assert!(answer.body["people"]["ada"]["picture"]["small"].as_str().unwrap().contains("/photos/ada/"));
    assert_eq!(answer.body["photos"][0]["viewer"], json!({"reactions": ["heart"], "saved": true}));
    assert_eq!(answer.body["photos"][1]["viewer"], json!({"reactions": [], "saved": false}), "another user's");
    let plain = fixture.call(ListFeed::start, request("GET", URI).by("ben")).await;
    assert!(plain.body["photos"][0].get("viewer").is_none());
}

#[tokio::test]
async fn shows_every_photo_once_while_others_post() {
    let fixture = Fixture::new("list-feed").await;
    for author in ["pia", "zoe"] {
        follow(&fixture, "ben", author).await;
    }
    post(&fixture, "ben", "zoe", &[minute(2), minute(4), minute(6)]).await;
    pull(&fixture, "ben", "pia", &[minute(1), minute(3), minute(5)]).await;
    let before = first_page(&fixture).await;
    let photos = fixture
        .pages(ListFeed::start, URI, "photos", async |fixture: &Fixture| {
            post(fixture, "ben", "zoe", &[minute(7)]).await;
            // Pia is pushed again meanwhile.
            post(fixture, "ben", "pia", &[minute(3), minute(8)]).await;
            pull(fixture, "ben", "pia", &[minute(1), minute(3), minute(5), minute(8)]).await;
        })
        .await;
    assert_eq!(ids(&json!(photos)), before);
}

/// The cursor still has the name of the author.
#[tokio::test]
async fn a_later_page_does_not_show_what_the_caller_does_not_follow_any_more() {
    let fixture = Fixture::new("list-feed").await;
    follow(&fixture, "ben", "zoe").await;
    pull(&fixture, "ben", "zoe", &[minute(1), minute(2)]).await;
    let first = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("limit", "1")).await;
    assert_eq!(ids(&first.body["photos"]), [id("zoe", minute(2))]);
    fixture.delete(Key::friendship(&name("zoe"), &name("ben"))).await;
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("cursor", cursor)).await;
    assert_eq!(ids(&answer.body["photos"]), [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")]);
}

#[tokio::test]
async fn returns_403_for_another_user() {
    let fixture = Fixture::new("list-feed").await;
    fixture.needs_a_caller(ListFeed::start, request("GET", URI)).await;
    fixture.refuses(ListFeed::start, request("GET", URI).by("ada"), 403).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("list-feed").await;
    fixture
        .refuses_bad_usernames(ListFeed::start, "username", |name| request("GET", format!("/users/{name}/feed")))
        .await;
    fixture.refuses_bad_pages(ListFeed::start, URI).await;
    // The names of the pulled authors are in the cursor too.
    for author in ["pia", "zoe"] {
        follow(&fixture, "ben", author).await;
        pull(&fixture, "ben", author, &[minute(1)]).await;
    }
    fixture.refuses_bad_pages(ListFeed::start, URI).await;
}

#[tokio::test]
async fn drops_muted_authors_and_photos_for_their_owner_alone() {
    let fixture = Fixture::new("list-feed").await;
    follow(&fixture, "ben", "zoe").await;
    post(&fixture, "ben", "zoe", &[minute(1), minute(2), minute(3)]).await;
    fixture.put(testing::with(photo("zoe", &minute(2)), "audience", "me")).await;
    fixture.put(testing::with(photo("zoe", &minute(3)), "audience", "followers")).await;
    let of_ada = [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")];
    assert_eq!(
        first_page(&fixture).await,
        [vec![id("zoe", minute(3)), id("zoe", minute(1))], of_ada.to_vec()].concat()
    );
    fixture.put(testing::with(friendship("zoe", "ben"), "muted", "true")).await;
    assert_eq!(first_page(&fixture).await, of_ada);
}

/// Lets ben follow pia, who is pulled, and zoe, who is not. Each has one photo.
async fn pulled_and_pushed() -> Fixture {
    let fixture = Fixture::new("list-feed").await;
    for author in ["pia", "zoe"] {
        follow(&fixture, "ben", author).await;
    }
    pull(&fixture, "ben", "pia", &[minute(1)]).await;
    post(&fixture, "ben", "zoe", &[minute(2)]).await;
    fixture
}

/// Reads a page by this process.
async fn first_two(fixture: &Fixture, process: &Service<ListFeed>) -> Vec<(String, String)> {
    let answer = fixture.send(process, request("GET", URI).by("ben").query("limit", "2")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    ids(&answer.body["photos"])
}

#[tokio::test]
async fn a_process_remembers_for_a_second_what_it_reads_of_pulled_authors() {
    let fixture = pulled_and_pushed().await;
    let process = fixture.service(ListFeed::start);
    let both = [id("zoe", minute(2)), id("pia", minute(1))];
    for requests in [3, 3, 2, 2] {
        assert_eq!(first_two(&fixture, &process).await, both);
        assert_eq!(fixture.operations().len(), requests, "the newest photos of pia are read twice");
    }
    fixture.delete(Key::photo(&name("pia"), &minute(1).parse().unwrap())).await;
    assert_eq!(first_two(&fixture, &process).await, both);
    testing::pass(MEMORY).await;
    assert_eq!(first_two(&fixture, &process).await, [id("zoe", minute(2)), id("ada", "2024-06-09T13:49:13")]);
}

#[tokio::test]
async fn what_must_not_be_stale_is_read_for_each_page() {
    let fixture = pulled_and_pushed().await;
    let process = fixture.service(ListFeed::start);
    for _ in 0..3 {
        first_two(&fixture, &process).await;
    }
    // A block deletes the friendship too.
    fixture.delete(Key::friendship(&name("pia"), &name("ben"))).await;
    fixture.delete(Key::photo(&name("zoe"), &minute(2).parse().unwrap())).await;
    let ada = [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")];
    assert_eq!(first_two(&fixture, &process).await, ada);
}

#[tokio::test]
async fn shows_sensitive_photos_without_their_pictures() {
    let fixture = Fixture::new("list-feed").await;
    for query in ["", "?include=viewer"] {
        let get = |caller: &str| request("GET", format!("/users/{caller}/feed{query}")).by(caller);
        fixture.hides_sensitive_pictures(ListFeed::start, ("ada", "2024-05-30T15:42:38"), get).await;
    }
}
