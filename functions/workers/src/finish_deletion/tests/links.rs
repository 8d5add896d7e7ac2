//! The links of deleted photos and users, and links that have ended by their time.

use std::time::SystemTime;

use serde_json::json;
use shared::entities::{LINKS, Picture};
use shared::values::{PhotoId, Timestamp};
use testing::{PNG, link, link_until, photo_with, ready, with, with_count};

use super::*;

/// Another photo of ada.
const OTHER_PHOTO: &str = "2024-06-09T13:49:13";

/// The token of a link of ada.
fn token(number: u32) -> String {
    format!("tokens-of-a-test-{number:04}A")
}

/// Returns the time so many seconds from now.
fn in_seconds(seconds: i64) -> Timestamp {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    Timestamp::from(if seconds < 0 { SystemTime::now() - distance } else { SystemTime::now() + distance })
}

/// Puts links of two photos and of the profile of ada, and of a photo and the profile of ben. The
/// counts include them.
fn seed_links(fixture: &Fixture) {
    fixture.put_all(
        [
            vec![with_count(with_count(user("ada"), LINKS, 3), "uploads", 2)],
            vec![with_count(user("ben"), LINKS, 2)],
            link("ada", Some(ADAS_PHOTO), &token(1)),
            link("ada", Some(OTHER_PHOTO), &token(2)),
            link("ada", None, &token(3)),
            link("ben", Some(ADAS_PHOTO), &token(4)),
            link("ben", None, &token(5)),
        ]
        .concat(),
    );
}

/// Returns the keys of all links and targets.
async fn links_of(fixture: &Fixture) -> Vec<String> {
    fixture.all_items().await.into_keys().filter(|key| key.contains("SHARE#")).collect()
}

/// Returns the keys of links with their targets.
fn keys(links: &[(&str, u32)]) -> Vec<String> {
    let keys = links.iter().flat_map(|(link, number)| {
        let (owner, token) = (link.split('#').next().unwrap(), token(*number));
        [format!("USER#{owner} SHARE#{link}"), format!("SHARE#{token} #SHARE#{token}")]
    });
    let mut keys: Vec<String> = keys.collect();
    keys.sort();
    keys
}

async fn count_of(fixture: &Fixture, user: &str) -> Value {
    fixture.item(Key::user(&user.parse().unwrap())).await[LINKS].take()
}

fn of(photo: &str) -> String {
    format!("ada#{photo}")
}

#[tokio::test]
async fn deletes_the_link_of_a_deleted_photo_and_no_other() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    let deletion = photo_deletion("ada", ADAS_PHOTO, 0);
    fixture.put(deletion.clone()).await;
    let bens = format!("ben#{ADAS_PHOTO}");
    let left = keys(&[(&of(OTHER_PHOTO), 2), ("ada", 3), (&bens, 4), ("ben", 5)]);
    for _ in 0..2 {
        handle(&fixture, photo_record(deletion.clone())).await;
        assert_eq!(links_of(&fixture).await, left);
        assert_eq!((count_of(&fixture, "ada").await, count_of(&fixture, "ben").await), (json!(2), json!(2)));
    }
}

#[tokio::test]
async fn counts_the_link_of_a_deleted_photo_once_after_an_interruption_at_any_request() {
    for requests in 0..9 {
        let fixture = Fixture::with_s3("finish-deletion").await;
        seed_links(&fixture);
        let deletion = photo_deletion("ada", ADAS_PHOTO, 0);
        fixture.put(deletion.clone()).await;
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::AnswerLost; 200]));
        let _ = try_to_handle(&fixture, photo_record(deletion.clone())).await;
        fixture.clear_faults();
        handle(&fixture, photo_record(deletion)).await;
        assert_eq!(count_of(&fixture, "ada").await, 2, "after {requests} requests");
        let bens = format!("USER#ben SHARE#ben#{ADAS_PHOTO}");
        assert_eq!(left_of_photo(&fixture.all_items().await, ADAS_PHOTO), [&bens]);
    }
}

/// The trace of the photo comes after the end of the link. So when an import puts another photo at
/// the key, no link of the earlier photo is left to open it.
#[tokio::test]
async fn the_photo_is_no_trace_before_its_link_is_deleted() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    let deletion = photo_deletion("ada", ADAS_PHOTO, 0);
    fixture.put(deletion.clone()).await;
    let key = Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap());
    // The BatchGetItem comes first, and then the transaction of the link.
    fixture.inject([Fault::None, Fault::Error("AccessDenied")]);
    assert!(try_to_handle(&fixture, photo_record(deletion.clone())).await.is_err());
    assert_eq!(fixture.item(key.clone()).await["ttl"], Value::Null);
    handle(&fixture, photo_record(deletion.clone())).await;
    assert!(fixture.item(key).await["ttl"].is_u64());

    // The import puts the photo again, and its owner makes another link.
    fixture
        .put_all([vec![photo_with("ada", ADAS_PHOTO, ready(PNG))], link("ada", Some(ADAS_PHOTO), &token(6))].concat());
    let before = links_of(&fixture).await;
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(links_of(&fixture).await, before);
}

#[tokio::test]
async fn deletes_all_links_of_a_deleted_user_and_none_of_others() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    fixture.put(photo("ada", OTHER_PHOTO)).await;
    let deletion = deletion("ada");
    fixture.put(deletion.clone()).await;
    let bens = format!("ben#{ADAS_PHOTO}");
    for _ in 0..2 {
        handle(&fixture, deletion_record(&deletion)).await;
        assert_eq!(links_of(&fixture).await, keys(&[(&bens, 4), ("ben", 5)]));
        assert_eq!((count_of(&fixture, "ada").await, count_of(&fixture, "ben").await), (Value::Null, json!(2)));
    }
    assert_eq!(left_of(&fixture.all_items().await, "ada"), Vec::<&String>::new());
}

#[tokio::test]
async fn a_hundred_and_twenty_links_take_three_transactions() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let photos = (0..120).map(|number| format!("2024-01-01T00:00:00.{number:03}Z"));
    let links = photos.zip(100..).flat_map(|(photo, number)| link("zoe", Some(&photo), &token(number)));
    let deletion = deletion("zoe");
    fixture.put_all(links.chain([deletion.clone()]).collect());
    handle(&fixture, record(user("zoe"), deletion)).await;
    let transactions = fixture.operations().into_iter().filter(|operation| operation == "TransactWriteItems");
    assert_eq!(transactions.count(), 4, "the last one puts the timer");
    assert_eq!(links_of(&fixture).await, Vec::<String>::new());
}

/// A photo of a user that is deleted by itself, whose record comes after that of the user.
#[tokio::test]
async fn the_deletion_of_a_photo_of_a_deleted_user_counts_no_links() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let photo = photo_deletion("zoe", ADAS_PHOTO, 0);
    fixture.put_all([link("zoe", Some(ADAS_PHOTO), &token(1)), vec![photo.clone(), deletion("zoe")]].concat());
    let before = fixture.item(Key::user(&"zoe".parse().unwrap())).await;
    handle(&fixture, photo_record(photo)).await;
    assert_eq!(links_of(&fixture).await, Vec::<String>::new());
    assert_eq!(fixture.item(Key::user(&"zoe".parse().unwrap())).await, before);
}

/// Returns the links of a photo of ada that has ended, and the record of the end of its target.
async fn ended(fixture: &Fixture) -> Record {
    let mut items = link_until("ada", Some(ADAS_PHOTO), &token(1), Some(in_seconds(-60)));
    let target = items.pop().unwrap();
    fixture.put_all(items);
    fixture.delete(Key::link_target(&token(1).parse().unwrap())).await;
    record(target, Item::new())
}

#[tokio::test]
async fn a_link_that_has_ended_by_its_time_is_deleted_and_counted_once() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    let record = ended(&fixture).await;
    let bens = format!("ben#{ADAS_PHOTO}");
    let left = keys(&[(&of(OTHER_PHOTO), 2), ("ada", 3), (&bens, 4), ("ben", 5)]);
    for operations in [&["GetItem", "TransactWriteItems"][..], &["GetItem"]] {
        let _ = fixture.operations();
        handle(&fixture, record.clone()).await;
        assert_eq!(fixture.operations(), operations);
        assert_eq!(links_of(&fixture).await, left);
        assert_eq!(count_of(&fixture, "ada").await, 2);
    }
}

#[tokio::test]
async fn a_link_that_its_owner_has_renewed_stays() {
    for until in [None, Some(in_seconds(3600))] {
        let fixture = Fixture::with_s3("finish-deletion").await;
        seed_links(&fixture);
        let record = ended(&fixture).await;
        fixture.put_all(link_until("ada", Some(ADAS_PHOTO), &token(6), until));
        let before = fixture.all_items().await;
        handle(&fixture, record).await;
        assert_eq!(fixture.all_items().await, before);
    }
}

/// put-link replaces the link after the function has read it.
#[tokio::test]
async fn a_link_that_its_owner_renews_concurrently_stays() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    let record = ended(&fixture).await;
    let renewed = link("ada", Some(ADAS_PHOTO), &token(6));
    fixture.write_concurrently(1, renewed, vec![]);
    handle(&fixture, record).await;
    let bens = format!("ben#{ADAS_PHOTO}");
    let left = keys(&[(&of(ADAS_PHOTO), 6), (&of(OTHER_PHOTO), 2), ("ada", 3), (&bens, 4), ("ben", 5)]);
    assert_eq!(links_of(&fixture).await, left);
    assert_eq!(count_of(&fixture, "ada").await, 3);
}

/// delete-link and put-link delete a target before its time.
#[tokio::test]
async fn the_end_of_a_target_that_no_link_has_changes_nothing() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    let before = fixture.all_items().await;
    for photo in [ADAS_PHOTO, "2020-01-01T00:00:00"] {
        let target = link_until("ada", Some(photo), &token(6), Some(in_seconds(3600))).pop().unwrap();
        handle(&fixture, record(target, Item::new())).await;
        assert_eq!(fixture.operations(), ["GetItem"]);
    }
    assert_eq!(fixture.all_items().await, before);
}

/// put-link puts the target again, with another end, after the record was made.
#[tokio::test]
async fn a_link_whose_target_is_there_again_stays() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    seed_links(&fixture);
    let record = ended(&fixture).await;
    fixture.put_all(link("ada", Some(ADAS_PHOTO), &token(1)));
    let before = fixture.all_items().await;
    handle(&fixture, record).await;
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_link_that_has_ended_is_deleted_although_no_count_has_it() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let record = ended(&fixture).await;
    for owner in [user("ada"), deletion("ada")] {
        let _ = ended(&fixture).await;
        fixture.put(owner).await;
        let before = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        handle(&fixture, record.clone()).await;
        assert_eq!(links_of(&fixture).await, Vec::<String>::new());
        assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await, before);
    }
}

/// A link is older or newer than the expiry of a photo whose file was not uploaded.
#[tokio::test]
async fn a_pending_photo_that_expires_loses_its_link_and_not_that_of_a_later_photo() {
    for (made, is_left) in [(-120, false), (-30, true)] {
        let fixture = Fixture::with_s3("finish-deletion").await;
        seed_links(&fixture);
        let mut items = link("ada", Some(ADAS_PHOTO), &token(1));
        items[0] = with(items[0].clone(), "created", in_seconds(made).to_string());
        fixture.put_all(items);
        let before = links_of(&fixture).await;
        let mut pending = photo_with("ada", ADAS_PHOTO, Picture::Pending);
        pending.insert("ttl".to_owned(), N(in_seconds(-60).seconds().to_string()));
        fixture.delete(Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse::<PhotoId>().unwrap())).await;
        for _ in 0..2 {
            handle(&fixture, record(pending.clone(), Item::new())).await;
            let expected =
                before.iter().filter(|key| is_left || !(key.contains(&of(ADAS_PHOTO)) || key.contains(&token(1))));
            assert_eq!(links_of(&fixture).await, expected.cloned().collect::<Vec<_>>());
            assert_eq!(count_of(&fixture, "ada").await, if is_left { 3 } else { 2 });
        }
    }
}
