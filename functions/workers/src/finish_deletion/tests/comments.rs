//! Comments on a deleted photo, and those of a deleted user.

use super::*;
use serde_json::json;
use shared::entities::mark_uncounted;
use testing::{comment, comment_deletion, like, reply};

/// A photo of ben in the seed data.
const BENS_PHOTO: &str = "2024-06-26T03:59:33";

fn at(minute: u32) -> String {
    format!("2026-01-01T10:{minute:02}:00.000Z")
}

fn with(mut item: Item, name: &str, number: u32) -> Item {
    item.insert(name.to_owned(), count(number));
    item
}

async fn written(fixture: &Fixture, username: &str) -> Value {
    fixture.item(Key::user(&username.parse().unwrap())).await["commentsWritten"].take()
}

async fn comments(fixture: &Fixture, owner: &str, id: &str) -> Value {
    fixture.item(Key::photo(&owner.parse().unwrap(), &id.parse().unwrap())).await["comments"].take()
}

/// Returns the keys of all comments.
async fn left(fixture: &Fixture) -> Vec<String> {
    fixture.all_items().await.into_keys().filter(|key| key.starts_with("COMMENT#")).collect()
}

/// Puts 50 comments of two users on a photo of ada, on which the seed data has one of ada and one
/// of ben. Returns the `PhotoDeletion` that counts all of them.
async fn seed_photo(fixture: &Fixture) -> Item {
    fixture.put_all(
        (0..50).map(|n| comment(if n % 2 == 0 { "ben" } else { "cara" }, &at(n), "ada", ADAS_PHOTO)).collect(),
    );
    fixture.put(comment("ben", &at(1), "ben", BENS_PHOTO)).await;
    fixture.put(with(user("ben"), "commentsWritten", 27)).await;
    fixture.put(with(user("cara"), "commentsWritten", 25)).await;
    let deletion = with(photo_deletion("ada", ADAS_PHOTO, 1), "comments", 52);
    fixture.put(deletion.clone()).await;
    deletion
}

#[tokio::test]
async fn deletes_the_comments_on_a_deleted_photo_and_corrects_the_counts_of_their_authors() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = seed_photo(&fixture).await;
    handle(&fixture, photo_record(deletion.clone())).await;
    let transactions = fixture.operations().into_iter().filter(|operation| operation == "TransactWriteItems");
    assert_eq!(transactions.count(), 5, "one for the reaction, three for 20 comments each, and the last one");
    assert_eq!(left(&fixture).await, [format!("COMMENT#{}#ben PHOTO#ben#{BENS_PHOTO}", at(1))]);
    for (author, number) in [("ada", 0), ("ben", 1), ("cara", 0)] {
        assert_eq!(written(&fixture, author).await, number, "{author}");
    }
    let everything = fixture.all_items().await;
    assert_eq!(left_of_photo(&everything, ADAS_PHOTO), Vec::<&String>::new());
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(fixture.all_items().await, everything);
}

#[tokio::test]
async fn resumes_with_the_comments_on_a_photo_after_an_interruption_at_any_request() {
    for requests in 0..40 {
        let fixture = Fixture::with_s3("finish-deletion").await;
        let deletion = seed_photo(&fixture).await;
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]));
        let result = try_to_handle(&fixture, photo_record(deletion.clone())).await;
        fixture.clear_faults();
        handle(&fixture, photo_record(deletion)).await;
        assert_eq!(left(&fixture).await.len(), 1, "after {requests} requests");
        assert_eq!((written(&fixture, "ben").await, written(&fixture, "cara").await), (1.into(), 0.into()));
        if result.is_ok() {
            assert!(requests > 8, "a deletion sends more than {requests} requests");
            return;
        }
    }
    panic!("no round lets a deletion finish");
}

/// The index shows one of two comments: the other one is written only after the function has
/// searched the index.
#[tokio::test]
async fn fails_while_the_index_does_not_show_all_comments_on_a_photo() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = with(photo_deletion("ada", ADAS_PHOTO, 1), "comments", 3);
    fixture.put(deletion.clone()).await;
    fixture.put(with(user("cara"), "commentsWritten", 1)).await;
    // GetItem, UpdateItem, Query.
    fixture.write_concurrently(4, vec![comment("cara", &at(1), "ada", ADAS_PHOTO)], vec![]);
    handle_in_vain(&fixture, photo_record(deletion.clone())).await;
    assert_eq!(comments(&fixture, "ada", ADAS_PHOTO).await, 1, "the comment of cara is left");

    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left(&fixture).await, [""; 0]);
    assert_eq!(written(&fixture, "cara").await, 0);
}

#[tokio::test]
async fn a_photo_in_deletion_does_not_wait_for_uncounted_comments() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = with(photo_deletion("ada", ADAS_PHOTO, 1), "comments", 2);
    fixture.put(deletion.clone()).await;
    fixture.put(mark_uncounted(comment("cara", &at(1), "ada", ADAS_PHOTO))).await;
    fixture.put(with(user("cara"), "commentsWritten", 1)).await;
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left(&fixture).await, [""; 0]);
    assert_eq!(written(&fixture, "cara").await, 0, "it counts the comment, with the mark or without");
}

#[tokio::test]
async fn counts_once_when_a_comment_is_deleted_concurrently() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = with(photo_deletion("ada", ADAS_PHOTO, 1), "comments", 2);
    fixture.put(deletion.clone()).await;
    // delete-comment deletes that of ben after the Query has found it.
    let (of_photo, of_ben) = (with(deletion.clone(), "comments", 1), with(user("ben"), "commentsWritten", 0));
    let gone = comment("ben", "2024-06-02T18:05:41.250Z", "ada", ADAS_PHOTO);
    fixture.write_concurrently(2, vec![of_photo, of_ben], vec![gone]);
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(left(&fixture).await, [""; 0]);
    assert_eq!((written(&fixture, "ada").await, written(&fixture, "ben").await), (0.into(), 0.into()));
}

/// Puts what zoe has written: 45 comments on three photos of ben, one of which is in deletion, and
/// two on a photo of her own. Returns her `Deletion`.
async fn seed_zoe(fixture: &Fixture) -> Item {
    let photos = [BENS_PHOTO, "2024-07-14T10:21:01", "2020-01-01T00:00:00"];
    let on_photos = (0..45).map(|n| comment("zoe", &at(n), "ben", photos[n as usize % 3]));
    fixture.put_all(on_photos.collect());
    for id in &photos[..2] {
        fixture.put(with(photo("ben", id), "comments", 16)).await;
        fixture.put(comment("cara", &at(1), "ben", id)).await;
    }
    fixture.put(with(photo_deletion("ben", photos[2], 0), "comments", 15)).await;
    fixture.put(with(photo("zoe", ADAS_PHOTO), "comments", 3)).await;
    for (author, minute) in [("zoe", 1), ("zoe", 2), ("cara", 3)] {
        fixture.put(comment(author, &at(minute), "zoe", ADAS_PHOTO)).await;
    }
    fixture.put(with(user("cara"), "commentsWritten", 3)).await;
    let deletion = with(deletion("zoe"), "commentsWritten", 47);
    fixture.put(deletion.clone()).await;
    deletion
}

async fn assert_zoe_is_gone(fixture: &Fixture, what: &str) {
    assert_eq!(left_of(&fixture.all_items().await, "zoe"), Vec::<&String>::new(), "{what}");
    assert_eq!(written(fixture, "zoe").await, 0, "{what}");
    for id in [BENS_PHOTO, "2024-07-14T10:21:01"] {
        assert_eq!(comments(fixture, "ben", id).await, 1, "{what}: that of cara on {id}");
    }
    assert_eq!(comments(fixture, "ben", "2020-01-01T00:00:00").await, 0, "{what}");
    assert_eq!(written(fixture, "cara").await, 2, "{what}: one was on a photo of zoe");
}

#[tokio::test]
async fn deletes_the_comments_of_a_deleted_user_and_corrects_the_counts_of_photos() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = seed_zoe(&fixture).await;
    handle(&fixture, record(user("zoe"), deletion.clone())).await;
    assert_zoe_is_gone(&fixture, "first").await;
    let everything = fixture.all_items().await;
    assert!(everything.contains_key("REST#zoe #REST#zoe"), "the name rests");
    handle(&fixture, record(user("zoe"), deletion)).await;
    assert_eq!(fixture.all_items().await, everything);
}

#[tokio::test]
async fn resumes_with_the_comments_of_a_user_after_an_interruption_at_any_request() {
    for requests in (0..80).step_by(3) {
        let fixture = Fixture::with_s3("finish-deletion").await;
        let deletion = seed_zoe(&fixture).await;
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]));
        let result = try_to_handle(&fixture, record(user("zoe"), deletion.clone())).await;
        fixture.clear_faults();
        handle(&fixture, record(user("zoe"), deletion)).await;
        assert_zoe_is_gone(&fixture, &format!("after {requests} requests")).await;
        if result.is_ok() {
            assert!(requests > 20, "a pass sends more than {requests} requests");
            return;
        }
    }
    panic!("no round lets a pass finish");
}

#[tokio::test]
async fn does_not_rest_while_the_index_does_not_show_all_comments_of_the_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = with(deletion("zoe"), "commentsWritten", 2);
    fixture.put(deletion.clone()).await;
    fixture.put(with(photo("ben", BENS_PHOTO), "comments", 2)).await;
    fixture.put(comment("zoe", &at(1), "ben", BENS_PHOTO)).await;
    let of_zoe = record(user("zoe"), deletion.clone());
    // GetItem of the Deletion and of the Latest, the Queries of photos, followers, followed users,
    // blocks, four types of reactions and likes, and that of the comments.
    fixture.write_concurrently(12, vec![comment("zoe", &at(2), "ben", BENS_PHOTO)], vec![]);
    handle_in_vain(&fixture, of_zoe.clone()).await;
    assert_eq!(written(&fixture, "zoe").await, 1);
    assert!(fixture.item(Key::rest(&"zoe".parse().unwrap())).await.is_null());

    handle(&fixture, of_zoe).await;
    assert_eq!(left(&fixture).await.len(), 2, "those of the seed data");
    assert_eq!(comments(&fixture, "ben", BENS_PHOTO).await, 0);
}

#[tokio::test]
async fn the_uncounted_comments_of_a_deleted_user_leave_the_counts_of_photos() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let deletion = with(deletion("zoe"), "commentsWritten", 3);
    fixture.put(deletion.clone()).await;
    fixture.put(with(photo("ben", BENS_PHOTO), "comments", 1)).await;
    fixture.put(comment("zoe", &at(1), "ben", BENS_PHOTO)).await;
    for minute in [2, 3] {
        fixture.put(mark_uncounted(comment("zoe", &at(minute), "ben", BENS_PHOTO))).await;
    }
    handle(&fixture, record(user("zoe"), deletion)).await;
    assert_eq!(comments(&fixture, "ben", BENS_PHOTO).await, 0);
    assert_eq!((left(&fixture).await.len(), written(&fixture, "zoe").await), (2, 0.into()));
}

/// Each author is the owner of the other one's photo, and both are deleted.
#[tokio::test]
async fn deletes_two_users_who_commented_on_each_other() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let mut records = vec![];
    for (name, other) in [("yan", "zoe"), ("zoe", "yan")] {
        fixture.put(with(photo(name, ADAS_PHOTO), "comments", 2)).await;
        fixture.put(comment(name, &at(1), other, ADAS_PHOTO)).await;
        fixture.put(comment(name, &at(2), name, ADAS_PHOTO)).await;
        let deletion = with(deletion(name), "commentsWritten", 2);
        fixture.put(deletion.clone()).await;
        records.push(record(user(name), deletion));
    }
    for record in records {
        handle(&fixture, record).await;
    }
    for name in ["yan", "zoe"] {
        assert_eq!(left_of(&fixture.all_items().await, name), Vec::<&String>::new());
        assert_eq!(written(&fixture, name).await, 0);
    }
}

/// The comment of ben on the photo of ada, and its id.
const COMMENT_OF_BEN: &str = "2024-06-02T18:05:41.250Z~ben";
const COMMENT_OF_ADA: &str = "2024-06-02T18:30:12.500Z~ada";

/// Puts 30 replies of cara and ada to the comment of ben and 120 likes, a reply to that of ada and a like,
/// and both for a comment on a photo of ben. Returns the tombstone of the comment of ben.
async fn seed_replies(fixture: &Fixture) -> Item {
    let answer = |author, n: u32| reply(author, &at(n), COMMENT_OF_BEN, "ada", ADAS_PHOTO);
    fixture.put_all((0..30).map(|n| answer(if n % 2 == 0 { "ada" } else { "cara" }, n)).collect());
    fixture.put(reply("cara", &at(40), "2024-06-02T18:30:12.500Z~ada", "ada", ADAS_PHOTO)).await;
    fixture.put(reply("cara", &at(41), COMMENT_OF_BEN, "ben", BENS_PHOTO)).await;
    fixture.put_all((0..120).map(|n| like(&format!("u{n}"), COMMENT_OF_BEN, "ada", ADAS_PHOTO)).collect());
    fixture.put(like("u1", COMMENT_OF_ADA, "ada", ADAS_PHOTO)).await;
    fixture.put(like("u1", COMMENT_OF_BEN, "ben", BENS_PHOTO)).await;
    fixture.put(with(photo("ada", ADAS_PHOTO), "comments", 32)).await;
    fixture.put(with(user("ada"), "commentsWritten", 16)).await;
    fixture.put(with(user("cara"), "commentsWritten", 17)).await;
    let tombstone = tombstone_of_ben(30);
    fixture.put(tombstone.clone()).await;
    tombstone
}

/// Returns the tombstone of the comment of ben, with 120 likes.
fn tombstone_of_ben(replies: u64) -> Item {
    with(comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", ADAS_PHOTO, replies), "likes", 120)
}

/// Returns the keys of the likes that are left.
async fn likes(fixture: &Fixture) -> Vec<String> {
    fixture.all_items().await.into_keys().filter(|key| key.starts_with("LIKE#")).collect()
}

fn comment_record(tombstone: Item) -> Record {
    record(comment("ben", "2024-06-02T18:05:41.250Z", "ada", ADAS_PHOTO), tombstone)
}

async fn assert_replies_are_gone(fixture: &Fixture, what: &str) {
    assert_eq!(likes(fixture).await.len(), 2, "{what}: those of other comments");
    let left = left(fixture).await;
    assert_eq!(left.len(), 3, "{what}: the comment of ada, a reply to it and one on another photo: {left:?}");
    assert_eq!(comments(fixture, "ada", ADAS_PHOTO).await, 2, "{what}");
    assert_eq!((written(fixture, "ada").await, written(fixture, "cara").await), (1.into(), 2.into()), "{what}");
}

#[tokio::test]
async fn deletes_the_replies_to_a_deleted_comment_and_then_its_tombstone() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let tombstone = seed_replies(&fixture).await;
    for what in ["first", "again"] {
        handle(&fixture, comment_record(tombstone.clone())).await;
        assert_replies_are_gone(&fixture, what).await;
    }
}

#[tokio::test]
async fn resumes_with_the_replies_after_an_interruption_at_any_request() {
    for requests in 0..20 {
        let fixture = Fixture::with_s3("finish-deletion").await;
        let tombstone = seed_replies(&fixture).await;
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::ConnectionLost; 200]));
        let result = try_to_handle(&fixture, comment_record(tombstone.clone())).await;
        fixture.clear_faults();
        handle(&fixture, comment_record(tombstone)).await;
        assert_replies_are_gone(&fixture, &format!("after {requests} requests")).await;
        if result.is_ok() {
            assert!(requests > 6, "a deletion sends more than {requests} requests");
            return;
        }
    }
    panic!("no round lets a deletion finish");
}

#[tokio::test]
async fn keeps_a_tombstone_while_the_index_does_not_show_all_replies() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_replies(&fixture).await;
    let tombstone = tombstone_of_ben(31);
    fixture.put(tombstone.clone()).await;
    fixture.put(with(photo("ada", ADAS_PHOTO), "comments", 33)).await;
    fixture.put(with(user("cara"), "commentsWritten", 18)).await;
    fixture.write_concurrently(2, vec![reply("cara", &at(50), COMMENT_OF_BEN, "ada", ADAS_PHOTO)], vec![]);
    handle_in_vain(&fixture, comment_record(tombstone.clone())).await;
    handle(&fixture, comment_record(tombstone)).await;
    assert_replies_are_gone(&fixture, "the next attempt").await;
}

#[tokio::test]
async fn keeps_a_tombstone_while_the_index_does_not_show_all_likes() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_replies(&fixture).await;
    let tombstone = with(tombstone_of_ben(30), "likes", 121);
    fixture.put(tombstone.clone()).await;
    // The Queries of replies and likes, and the transactions of 20 replies, 10 replies and 99 likes.
    fixture.write_concurrently(5, vec![like("late", COMMENT_OF_BEN, "ada", ADAS_PHOTO)], vec![]);
    handle_in_vain(&fixture, comment_record(tombstone.clone())).await;
    handle(&fixture, comment_record(tombstone)).await;
    assert_replies_are_gone(&fixture, "the next attempt").await;
}

#[tokio::test]
async fn the_deletion_of_a_user_takes_their_likes_back() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    fixture.put(with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", ADAS_PHOTO), "likes", 2)).await;
    // A tombstone counts likes too, and of a comment that is gone nothing does.
    fixture.put(with(comment_deletion("ben", &at(1), "ada", ADAS_PHOTO, 0), "likes", 1)).await;
    let others = [format!("{}~ben", at(1)), format!("{}~ben", at(2))];
    for comment in others.iter().map(String::as_str).chain([COMMENT_OF_BEN]) {
        fixture.put(like("zoe", comment, "ada", ADAS_PHOTO)).await;
    }
    fixture.put(like("cara", COMMENT_OF_BEN, "ada", ADAS_PHOTO)).await;
    let deletion = deletion("zoe");
    fixture.put(deletion.clone()).await;
    for _ in ["first", "again"] {
        handle(&fixture, record(user("zoe"), deletion.clone())).await;
        let items = fixture.all_items().await;
        let count = |time: &str| &items[&format!("COMMENT#{time}#ben PHOTO#ada#{ADAS_PHOTO}")]["likes"];
        assert_eq!((count("2024-06-02T18:05:41.250Z"), count(&at(1))), (&json!(1), &json!(0)));
        assert_eq!(likes(&fixture).await.len(), 1, "that of cara");
    }
}

#[tokio::test]
async fn takes_a_deleted_comment_off_the_photo_where_it_is_pinned() {
    for (pinned, left) in [(COMMENT_OF_BEN, json!(null)), (COMMENT_OF_ADA, json!(COMMENT_OF_ADA))] {
        let fixture = Fixture::with_s3("finish-deletion").await;
        fixture.put(testing::with(photo("ada", ADAS_PHOTO), "pinnedComment", pinned)).await;
        let tombstone = comment_deletion("ben", "2024-06-02T18:05:41.250Z", "ada", ADAS_PHOTO, 0);
        let tombstone = testing::with(tombstone, "pinned", "2024-06-03T10:00:00.000Z");
        fixture.put(tombstone.clone()).await;
        for _ in ["first", "again"] {
            handle(&fixture, comment_record(tombstone.clone())).await;
            let photo = fixture.item(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
            assert_eq!(photo["pinnedComment"], left, "another comment stays pinned");
            assert!(photo["username"].is_string());
        }
        // A photo that is gone gets no item by it.
        fixture.delete(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap())).await;
        let before = fixture.all_items().await;
        handle(&fixture, comment_record(tombstone)).await;
        assert_eq!(fixture.all_items().await, before);
    }
}

/// The comment of ben has a reply of cara and one of zoe, who has written one comment with a reply of ben and
/// one of her own.
async fn seed_threads(fixture: &Fixture) -> [Item; 2] {
    let of_zoe = format!("{}~zoe", at(1));
    fixture.put(with(comment("ben", "2024-06-02T18:05:41.250Z", "ada", ADAS_PHOTO), "replies", 2)).await;
    fixture.put(with(comment("zoe", &at(1), "ada", ADAS_PHOTO), "replies", 2)).await;
    for (author, answered) in [("cara", COMMENT_OF_BEN), ("zoe", COMMENT_OF_BEN), ("ben", &of_zoe), ("zoe", &of_zoe)] {
        fixture.put(reply(author, &at(2), answered, "ada", ADAS_PHOTO)).await;
    }
    fixture.put(with(user("ben"), "commentsWritten", 2)).await;
    fixture.put(with(user("cara"), "commentsWritten", 1)).await;
    let of_photo = with(photo_deletion("ada", ADAS_PHOTO, 1), "comments", 7);
    [of_photo, with(deletion("zoe"), "commentsWritten", 3)]
}

fn tombstones(items: &std::collections::BTreeMap<String, Value>) -> Vec<&String> {
    items
        .iter()
        .filter(|(_, item)| item["erasing"].is_string() && item["replies"].is_number())
        .map(|(key, _)| key)
        .collect()
}

#[tokio::test]
async fn the_deletion_of_a_photo_deletes_the_replies_too() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let [of_photo, _] = seed_threads(&fixture).await;
    fixture.put(with(user("zoe"), "commentsWritten", 3)).await;
    fixture.put(of_photo.clone()).await;
    handle(&fixture, photo_record(of_photo)).await;
    let items = fixture.all_items().await;
    assert_eq!(tombstones(&items).len(), 2, "their own records delete them");
    assert_eq!(left(&fixture).await.len(), 2);
    for author in ["ada", "ben", "cara", "zoe"] {
        assert_eq!(written(&fixture, author).await, 0, "{author}");
    }
    for (author, time) in [("ben", "2024-06-02T18:05:41.250Z".to_owned()), ("zoe", at(1))] {
        let tombstone = comment_deletion(author, &time, "ada", ADAS_PHOTO, 0);
        handle(&fixture, record(comment(author, &time, "ada", ADAS_PHOTO), tombstone)).await;
    }
    assert_eq!(left(&fixture).await, [""; 0]);
}

#[tokio::test]
async fn the_deletion_of_a_user_leaves_replies_to_their_comments_to_the_tombstones() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let [_, of_zoe] = seed_threads(&fixture).await;
    fixture.put(with(photo("ada", ADAS_PHOTO), "comments", 7)).await;
    fixture.put(of_zoe.clone()).await;
    handle(&fixture, record(user("zoe"), of_zoe)).await;
    assert_eq!((comments(&fixture, "ada", ADAS_PHOTO).await, written(&fixture, "zoe").await), (4.into(), 0.into()));
    let items = fixture.all_items().await;
    assert_eq!(tombstones(&items), [&format!("COMMENT#{}#zoe PHOTO#ada#{ADAS_PHOTO}", at(1))]);
    let of_ben = &items[&format!("COMMENT#2024-06-02T18:05:41.250Z#ben PHOTO#ada#{ADAS_PHOTO}")];
    assert_eq!(of_ben["replies"], 1, "that of cara");
    let tombstone = comment_deletion("zoe", &at(1), "ada", ADAS_PHOTO, 1);
    handle(&fixture, record(comment("zoe", &at(1), "ada", ADAS_PHOTO), tombstone)).await;
    assert_eq!((comments(&fixture, "ada", ADAS_PHOTO).await, written(&fixture, "ben").await), (3.into(), 1.into()));
    assert!(left(&fixture).await.iter().all(|key| !key.contains("zoe")));
}
