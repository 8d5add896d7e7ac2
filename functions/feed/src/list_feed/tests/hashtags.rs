//! The photos of followed hashtags.

use super::*;
use shared::dynamodb::Item;
use shared::entities::{FollowedHashtags, HashtagSummary, HiddenHashtag, MAX_FOLLOWED_HASHTAGS};
use shared::values::{Level, Timestamp};
use testing::{block, with, with_count};

/// The photos of somebody whom ben does not follow: the newest one and the oldest one.
const PHOTOS: [usize; 2] = [3, 1];

fn hashtag(text: &str) -> Hashtag {
    text.parse().unwrap()
}

/// Lets a reader follow hashtags, of which the feed has a copy.
async fn follow_hashtags(fixture: &Fixture, reader: &str, hashtags: &[&str]) {
    let followed = FollowedHashtags { hashtags: hashtags.iter().map(|text| hashtag(text)).collect() };
    fixture.put_in(FEED, entity::to_item(Key::pulled_hashtags(&name(reader)), &followed).unwrap()).await;
}

/// Returns the item of a photo with a caption.
fn captioned(owner: &str, id: &str, caption: &str) -> Item {
    with(photo(owner, id), "caption", caption)
}

fn imported(photo: Item) -> Item {
    photo.into_iter().chain([("imported".to_owned(), Bool(true))]).collect()
}

/// Puts a photo, and the lists of its hashtags as they are with the photos before.
async fn publish(fixture: &Fixture, photo: Item) {
    fixture.put(photo.clone()).await;
    let photo = photo_from_item(photo).unwrap().unwrap();
    for entry in photo.hashtag_entries() {
        fixture.put_in(FEED, entry.item(photo.imported)).await;
        let table = fixture.unrecorded_table(FEED);
        let get = table.client.get_item().table_name(&table.name);
        let key = Key::hashtag_summary(&entry.hashtag);
        let before = get.set_key(Some(key.into())).send().await.unwrap().item;
        let summary = HashtagSummary::from_item(before).unwrap().with(&entry, true);
        fixture.put_in(FEED, summary.item(&entry.hashtag).unwrap()).await;
    }
}

/// Ben follows the hashtag dawn, which two photos of zoe have, whom he does not follow.
async fn fixture() -> Fixture {
    let fixture = Fixture::new("list-feed").await;
    fixture.put(user("zoe")).await;
    follow_hashtags(&fixture, "ben", &["dawn"]).await;
    for number in PHOTOS {
        publish(&fixture, captioned("zoe", &minute(number), "#Dawn #dusk")).await;
    }
    fixture
}

/// Returns the photos of zoe and of others than ada in the feed of ben.
async fn seen(fixture: &Fixture) -> Vec<(String, String)> {
    first_page(fixture).await.into_iter().filter(|(author, _)| author != "ada").collect()
}

fn both() -> Vec<(String, String)> {
    PHOTOS.map(|number| id("zoe", minute(number))).to_vec()
}

async fn hide(fixture: &Fixture, text: &str) {
    fixture.put(HiddenHashtag { hashtag: hashtag(text), timestamp: Timestamp::now() }.item().unwrap()).await;
}

#[tokio::test]
async fn shows_the_photos_of_followed_hashtags_in_their_place() {
    let fixture = fixture().await;
    follow(&fixture, "ben", "pia").await;
    post(&fixture, "ben", "pia", &[minute(2), minute(4)]).await;
    let ada = [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")];
    let expected = [
        id("pia", minute(4)),
        id("zoe", minute(3)),
        id("pia", minute(2)),
        id("zoe", minute(1)),
        ada[0].clone(),
        ada[1].clone(),
    ];
    let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben")).await;
    assert_eq!(ids(&answer.body["photos"]), expected);
    assert_eq!(answer.body["people"]["zoe"]["name"], "zoe");
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "Query", "BatchGetItem"]);
    let pages = fixture.pages(ListFeed::start, URI, "photos", async |_: &Fixture| {}).await;
    assert_eq!(ids(&json!(pages)), expected);
    // Cara follows nothing.
    let of_cara = fixture.call(ListFeed::start, request("GET", "/users/cara/feed").by("cara")).await;
    assert_eq!(of_cara.body["photos"], json!([]));
}

#[tokio::test]
async fn shows_what_came_by_author_and_by_hashtag_once_and_as_either_allows() {
    let fixture = fixture().await;
    follow(&fixture, "ben", "zoe").await;
    let all: Vec<String> = [1, 2, 3].map(minute).to_vec();
    fixture.put(captioned("zoe", &all[1], "#dawn")).await;
    for id in &all {
        push(&fixture, "ben", "zoe", id).await;
    }
    let three = [3, 2, 1].map(|number| id("zoe", minute(number)));
    assert_eq!(seen(&fixture).await, three);
    let pages = fixture.pages(ListFeed::start, URI, "photos", async |_: &Fixture| {}).await;
    assert_eq!(ids(&json!(pages))[..3], three);
    // A follower sees a photo that has lost the hashtag, or is not for everyone any more.
    fixture.put(captioned("zoe", &all[0], "noon")).await;
    fixture.put(with(captioned("zoe", &all[2], "#dawn"), "audience", "followers")).await;
    assert_eq!(seen(&fixture).await, three);
    // The photos have the hashtag, but the reader mutes their owner.
    fixture.put(testing::with(friendship("zoe", "ben"), "muted", "true")).await;
    assert_eq!(seen(&fixture).await, []);
}

/// Lists of hashtags may be some seconds behind the photos.
#[tokio::test]
async fn shows_only_new_photos_that_everyone_may_see_and_that_have_the_hashtag() {
    let of_zoe = |picture| with(photo_with("zoe", &minute(3), picture), "caption", "#dawn");
    for item in [
        photo_deletion("zoe", &minute(3), 0),
        of_zoe(Picture::Pending),
        of_zoe(testing::rejected()),
        with(of_zoe(ready(b"file")), "audience", "me"),
        with(of_zoe(ready(b"file")), "audience", "followers"),
        captioned("zoe", &minute(3), "#dusk"),
        captioned("zoe", &minute(3), "dawn"),
        imported(captioned("zoe", &minute(3), "#dawn")),
    ] {
        for follows in [false, true] {
            let fixture = fixture().await;
            fixture.put(item.clone()).await;
            if follows {
                // The photo has come by the hashtag alone.
                fixture.put(friendship("zoe", "ben")).await;
            }
            assert_eq!(seen(&fixture).await, [id("zoe", minute(1))], "{follows} {item:?}");
        }
    }
}

#[tokio::test]
async fn blocks_and_mutes_hide_the_photos_of_hashtags() {
    for (blocking, blocked, level, counts) in [
        ("ben", "zoe", Level::Block, ["blocks", "blockedBy"]),
        ("zoe", "ben", Level::Block, ["blockedBy", "blocks"]),
        ("ben", "zoe", Level::Mute, ["mutes", "followers"]),
    ] {
        let fixture = fixture().await;
        fixture.put(user("pia")).await;
        publish(&fixture, captioned("pia", &minute(2), "#dawn")).await;
        fixture.put(with_count(user("ben"), counts[0], 1)).await;
        fixture.put(with_count(user("zoe"), counts[1], 1)).await;
        fixture.put(block(blocking, blocked, level)).await;
        assert_eq!(seen(&fixture).await, [id("pia", minute(2))], "{blocking} {level:?}");
        assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "Query", "BatchGetItem"]);
        let answer = fixture.call(ListFeed::start, request("GET", URI).by("ben")).await;
        assert!(answer.body["people"].get("zoe").is_none(), "{}", answer.body);
    }
    // Somebody who mutes the reader hides nothing.
    let fixture = fixture().await;
    fixture.put(with_count(user("ben"), "mutes", 1)).await;
    fixture.put(block("zoe", "ben", Level::Mute)).await;
    assert_eq!(seen(&fixture).await, both());
}

#[tokio::test]
async fn a_hidden_hashtag_brings_nothing() {
    let fixture = fixture().await;
    hide(&fixture, "dawn").await;
    assert_eq!(seen(&fixture).await, []);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem", "BatchGetItem"]);
    // The photos still have another one, which is not hidden.
    follow_hashtags(&fixture, "ben", &["dawn", "dusk"]).await;
    assert_eq!(seen(&fixture).await, both());
}

#[tokio::test]
async fn nobody_sees_their_own_photos_by_a_hashtag() {
    let fixture = fixture().await;
    publish(&fixture, captioned("ben", &minute(4), "#dawn")).await;
    assert_eq!(seen(&fixture).await, both());
}

/// They are the newest ones of the hashtag.
#[tokio::test]
async fn own_and_imported_photos_take_no_place_of_others() {
    let id_of = |number: usize| format!("2025-02-01T00:{number:02}:00.000Z");
    for (owner, is_imported) in [("ben", false), ("pia", true)] {
        let fixture = fixture().await;
        fixture.put_all(vec![user("pia")]);
        for number in 0..30 {
            let photo = captioned(owner, &id_of(number), "#dawn");
            publish(&fixture, if is_imported { imported(photo) } else { photo }).await;
        }
        let process = fixture.service(ListFeed::start);
        follow_hashtags(&fixture, "cara", &["dawn"]).await;
        // Cara's feed has 25 photos of ben, which the process remembers.
        for caller in ["cara", "cara", "ben", "ben"] {
            let _ = fixture.operations();
            let answer = fixture.send(&process, request("GET", format!("/users/{caller}/feed")).by(caller)).await;
            let found =
                ids(&answer.body["photos"]).into_iter().filter(|(author, _)| author != "ada").collect::<Vec<_>>();
            if caller == "ben" || is_imported {
                assert_eq!(found, both(), "{caller} {is_imported}");
            } else {
                assert_eq!((found.len(), &found[0]), (MAX_HASHTAG_PHOTOS, &id("ben", id_of(29))));
            }
        }
        if !is_imported {
            let months = ["Query", "Query", "Query"];
            let expected = [&["Query", "BatchGetItem"][..], &months, &["BatchGetItem"]].concat();
            assert_eq!(fixture.operations(), expected);
        }
    }
}

#[tokio::test]
async fn what_was_unfollowed_disappears() {
    let fixture = fixture().await;
    let feed = fixture.unrecorded_table(FEED);
    let delete = feed.client.delete_item().table_name(&feed.name);
    delete.set_key(Some(Key::pulled_hashtags(&name("ben")).into())).send().await.unwrap();
    assert_eq!(seen(&fixture).await, []);
    assert_eq!(fixture.operations(), ["Query", "BatchGetItem"]);
}

#[tokio::test]
async fn shows_sensitive_photos_of_hashtags_without_their_pictures() {
    let fixture = fixture().await;
    let get = |caller: &str| request("GET", format!("/users/{caller}/feed")).by(caller);
    fixture.hides_sensitive_pictures(ListFeed::start, ("zoe", &minute(3)), get).await;
    let _ = fixture.operations();
    fixture.call(ListFeed::start, get("ben")).await;
    assert_eq!(fixture.operations().len(), 4, "the settings were read with the decisions");
}

/// The newest photos of two months are in the feed, 25 at most.
#[tokio::test]
async fn the_newest_photos_of_two_months_are_in_the_feed() {
    let fixture = Fixture::new("list-feed").await;
    fixture.put(user("zoe")).await;
    follow_hashtags(&fixture, "ben", &["dawn", "dusk"]).await;
    let time = |month: usize, number: usize| format!("2025-{month:02}-01T00:{number:02}:00.000Z");
    for (month, photos) in [(4, 3), (6, 2), (7, 1)] {
        for number in 0..photos {
            publish(&fixture, captioned("zoe", &time(month, number), "#dawn")).await;
        }
    }
    let dawn = [id("zoe", time(7, 0)), id("zoe", time(6, 1)), id("zoe", time(6, 0))];
    assert_eq!(seen(&fixture).await, dawn);
    for number in 0..MAX_HASHTAG_PHOTOS + 5 {
        publish(&fixture, captioned("zoe", &time(8, number), "#dusk")).await;
    }
    let found = seen(&fixture).await;
    assert_eq!((found.len(), &found[0]), (MAX_HASHTAG_PHOTOS + 3, &id("zoe", time(8, MAX_HASHTAG_PHOTOS + 4))));
    assert_eq!(found[MAX_HASHTAG_PHOTOS..], dawn);
}

/// A summary of many photos keeps months of which all entries were taken back.
#[tokio::test]
async fn months_without_entries_do_not_count_as_the_newest() {
    let fixture = fixture().await;
    let mut summary = HashtagSummary::default();
    summary.months.insert("2025-01".to_owned());
    for (months, shown, queries) in
        [(["2099-01", "2099-02"], both(), 3), (["2099-03", "2099-04"], both(), 5), (["2099-05", "2099-06"], vec![], 6)]
    {
        summary.months.extend(months.map(str::to_owned));
        fixture.put_in(FEED, summary.item(&hashtag("dawn")).unwrap()).await;
        assert_eq!(seen(&fixture).await, shown, "{months:?}");
        let of_feed = fixture.operations().into_iter().filter(|operation| operation == "Query");
        assert_eq!(of_feed.count(), 1 + queries, "{months:?}");
    }
}

#[tokio::test]
async fn a_reader_with_the_maximum_of_everything_gets_full_pages() {
    let fixture = Fixture::new("list-feed").await;
    fixture.put(with_count(user("ben"), "mutes", 1)).await;
    let hashtags: Vec<String> = (0..MAX_FOLLOWED_HASHTAGS).map(|number| format!("tag{number:02}")).collect();
    follow_hashtags(&fixture, "ben", &hashtags.iter().map(String::as_str).collect::<Vec<_>>()).await;
    for (number, hashtag) in hashtags.iter().enumerate() {
        let owner = format!("owner{number:02}");
        fixture.put(user(&owner)).await;
        for photo in [number, 40 + number] {
            publish(&fixture, captioned(&owner, &minute(photo), &format!("#{hashtag}"))).await;
        }
        pull(&fixture, "ben", &format!("author{number:02}"), &[minute(100 + number)]).await;
        follow(&fixture, "ben", &format!("author{number:02}")).await;
    }
    let pages = fixture.pages(ListFeed::start, URI, "photos", async |_: &Fixture| {}).await;
    assert_eq!(pages.len(), 3 * MAX_FOLLOWED_HASHTAGS + 2);
}

#[tokio::test]
async fn shows_every_photo_of_a_hashtag_once_while_others_post() {
    let fixture = fixture().await;
    let photos = fixture
        .pages(ListFeed::start, URI, "photos", async |fixture: &Fixture| {
            publish(fixture, captioned("zoe", &minute(5), "#dawn")).await;
        })
        .await;
    assert_eq!(ids(&json!(photos))[..2], both());
}

/// The cursor still has the hashtag.
#[tokio::test]
async fn a_later_page_shows_no_photo_of_a_hashtag_that_was_hidden_meanwhile() {
    let fixture = fixture().await;
    let first = fixture.call(ListFeed::start, request("GET", URI).by("ben").query("limit", "1")).await;
    assert_eq!(ids(&first.body["photos"]), [id("zoe", minute(3))]);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let next = request("GET", URI).by("ben").query("cursor", cursor);
    assert_eq!(ids(&fixture.call(ListFeed::start, next.clone()).await.body["photos"])[0], id("zoe", minute(1)));
    hide(&fixture, "dawn").await;
    assert_eq!(ids(&fixture.call(ListFeed::start, next).await.body["photos"])[0].0, "ada");
}

#[tokio::test]
async fn a_process_remembers_the_photos_of_hashtags_but_neither_blocks_nor_what_is_followed() {
    let fixture = fixture().await;
    let process = fixture.service(ListFeed::start);
    for requests in [4, 4, 3, 3] {
        assert_eq!(first_two(&fixture, &process).await, both());
        assert_eq!(fixture.operations().len(), requests);
    }
    publish(&fixture, captioned("zoe", &minute(5), "#dawn")).await;
    assert_eq!(first_two(&fixture, &process).await, both());
    fixture.put(with_count(user("ben"), "blocks", 1)).await;
    fixture.put(block("ben", "zoe", Level::Block)).await;
    let ada = [id("ada", "2024-06-09T13:49:13"), id("ada", "2024-05-30T15:42:38")];
    assert_eq!(first_two(&fixture, &process).await, ada);
    fixture.put(with_count(user("ben"), "blocks", 0)).await;
    testing::pass(MEMORY).await;
    assert_eq!(first_two(&fixture, &process).await, [id("zoe", minute(5)), id("zoe", minute(3))]);
}

/// The README states this bound.
#[test]
fn a_cursor_with_the_longest_names_has_a_bounded_length() {
    let name = |number: usize| format!("{number:032}").parse::<Username>().ok();
    let long = |number: usize| format!("{}{number:02}", "\u{10400}".repeat(48)).parse::<Hashtag>().unwrap();
    let author: Username = "a".repeat(32).parse().unwrap();
    let start = PageStart {
        position: Position { id: minute(1).parse().unwrap(), author: author.clone() },
        pulls: (0..usize::from(MAX_PULLS)).map(|number| name(number).unwrap_or_else(|| author.clone())).collect(),
        hashtags: (0..MAX_FOLLOWED_HASHTAGS).map(long).collect(),
    };
    let bytes = serde_json::to_vec(&start).unwrap().len().next_multiple_of(512) + 28;
    assert!((bytes * 4).div_ceil(3) <= 8300, "{bytes}");
}
