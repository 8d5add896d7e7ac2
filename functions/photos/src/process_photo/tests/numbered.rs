//! Photos of several pictures.

use shared::entities::object::numbered_prefix;
use shared::entities::{Pictures, get_pictures};
use testing::{rejected, several};

use super::*;

const PENDING: Picture = Picture::Pending;

fn number(number: u32) -> PictureNumber {
    number.try_into().unwrap()
}

/// Returns a fixture with a photo of ada with these pictures, and another one with two.
async fn fixture_of(pictures: impl IntoIterator<Item = Picture>) -> Fixture {
    let fixture = Fixture::with_s3("process-photo").await;
    let other = several("ada", OTHER_TIMESTAMP, [Picture::Pending, Picture::Pending]);
    for item in several("ada", TIMESTAMP, pictures).into_iter().chain(other) {
        fixture.put(item).await;
    }
    fixture
}

fn key(of: u32) -> String {
    let (owner, id) = ada();
    incoming_key(&owner, &id, Some(number(of)))
}

async fn upload(fixture: &Fixture, of: u32) {
    put(fixture, &key(of), PNG).await;
}

async fn process(fixture: &Fixture, of: u32) -> Result<(), Error> {
    process_key(fixture, key(of), "0001").await
}

async fn pictures(fixture: &Fixture) -> Pictures {
    let (owner, id) = ada();
    get_pictures(&fixture.unrecorded_table(testing::QUICK_PHOTOS), &owner, &id).await.unwrap().unwrap()
}

async fn states(fixture: &Fixture) -> Vec<&'static str> {
    let state = |picture: &Picture| match picture {
        Picture::Pending => "pending",
        Picture::Ready(_) => "ready",
        Picture::Rejected { .. } => "rejected",
        Picture::Removed { .. } => "removed",
    };
    pictures(fixture).await.entries.iter().map(|entry| state(&entry.picture)).collect()
}

/// Returns the names of the attributes with the vectors of ada's photo, by the number.
async fn vectors(fixture: &Fixture) -> Vec<(String, &'static str)> {
    let attribute = |item: &Value| if item.get("vector").is_some() { "vector" } else { "hidden" };
    let prefix = format!("Vector#ada {TIMESTAMP}");
    let items = fixture.all_items_of(FEED).await;
    let own = items.iter().filter_map(|(key, item)| Some((key.strip_prefix(&prefix)?.to_owned(), attribute(item))));
    own.collect()
}

#[tokio::test]
async fn the_photo_is_ready_when_all_pictures_are_whatever_their_order() {
    let fixture = fixture_of([PENDING; 3]).await;
    let others = fixture.all_items().await;
    for of in [2, 3, 1] {
        upload(&fixture, of).await;
        assert_eq!(photo(&fixture).await["picture"], json!({"status": "pending"}));
        let _ = fixture.operations();
        process(&fixture, of).await.unwrap();
        assert_eq!(
            fixture.operations(),
            ["BatchGetItem", "PutItem", "GetObject", "PutObject", "TransactWriteItems", "DeleteObject"]
        );
    }
    assert_eq!(states(&fixture).await, ["ready"; 3]);
    let (owner, id) = ada();
    let keys: Vec<_> = fixture.objects().await.into_keys().collect();
    let file = PictureId::from_file(PNG);
    let expected = [1, 2, 3].map(|of| picture_key(&owner, &id, Some(number(of)), &file, Size::Small));
    assert_eq!(keys, expected);
    let photo = photo(&fixture).await;
    let sizes = &photo["picture"]["sizes"];
    assert_eq!((&sizes["number"], &sizes["id"], &photo["pictures"]), (&json!(1), &json!(file), &json!(3)));
    assert_eq!((&photo["ttl"], photo.get("unready"), &photo["altText"]), (&Value::Null, None, &json!("Picture 1")));
    let of = |of: u32| (format!("#{of}"), "vector");
    assert_eq!(vectors(&fixture).await, [of(1), of(2), of(3)]);
    let mut after = fixture.all_items().await;
    assert_eq!(after["USER#ada #METADATA#ada"]["photos"], 3, "the photo counts once");
    for key in [format!("USER#ada PHOTO#ada#{TIMESTAMP}"), format!("USER#ada PICTURES#ada#{TIMESTAMP}")] {
        after.insert(key.clone(), others[&key].clone());
    }
    after.get_mut("USER#ada #METADATA#ada").unwrap()["photos"] = json!(2);
    assert_eq!(after, others);
}

#[tokio::test]
async fn the_vectors_of_a_photo_that_is_not_for_everyone_stay_hidden() {
    let [pending, _] = several("ada", TIMESTAMP, [PENDING; 2]);
    let restricted = with(pending.clone(), "audience", "followers");
    // The owner changes the audience before the claim, or between the claim and the transaction.
    for (before, after, attribute) in
        [(&restricted, &restricted, "hidden"), (&pending, &restricted, "hidden"), (&restricted, &pending, "vector")]
    {
        let fixture = fixture_of([PENDING; 2]).await;
        fixture.put(before.clone()).await;
        upload(&fixture, 1).await;
        upload(&fixture, 2).await;
        process(&fixture, 1).await.unwrap();
        assert_eq!(vectors(&fixture).await, [("#1".to_owned(), "hidden")]);
        fixture.write_concurrently(4, vec![after.clone()], vec![]);
        process(&fixture, 2).await.unwrap();
        assert_eq!(photo(&fixture).await["picture"]["status"], "ready");
        assert_eq!(vectors(&fixture).await, ["#1", "#2"].map(|of| (of.to_owned(), attribute)));
    }
}

#[tokio::test]
async fn a_rejected_picture_leaves_the_photo_pending_and_is_named() {
    let fixture = fixture_of([PENDING; 2]).await;
    put(&fixture, &key(1), b"no picture").await;
    upload(&fixture, 2).await;
    for of in [1, 2, 1] {
        process(&fixture, of).await.unwrap();
    }
    assert_eq!(states(&fixture).await, ["rejected", "ready"]);
    let photo = photo(&fixture).await;
    assert_eq!((&photo["picture"]["status"], &photo["unready"]), (&json!("pending"), &json!(true)));
    assert!(photo["ttl"].is_u64() && !fixture.objects().await.contains_key(&key(1)));
    assert_eq!(fixture.item(Key::user(&ada().0)).await["photos"], 2);
}

#[tokio::test]
async fn a_photo_whose_first_picture_is_rejected_has_the_text_alternative_of_the_next_one() {
    let fixture = fixture_of([PENDING; 3]).await;
    let mut without_text = pictures(&fixture).await;
    without_text.entries[2].alt_text = None;
    fixture.put(without_text.put_new("table", &ada().0).unwrap().item).await;
    for (of, expected) in [(1, json!("Picture 2")), (2, Value::Null), (3, json!("Picture 1"))] {
        put(&fixture, &key(of), b"no picture").await;
        process(&fixture, of).await.unwrap();
        assert_eq!(photo(&fixture).await["altText"], expected, "{of}");
    }
}

#[tokio::test]
async fn ten_pictures_that_are_processed_at_the_same_time_are_all_settled() {
    let fixture = fixture_of(vec![PENDING; 10]).await;
    for of in 1..=10 {
        upload(&fixture, of).await;
    }
    let fixture = std::sync::Arc::new(fixture);
    let mut calls = tokio::task::JoinSet::new();
    for of in 1..=10 {
        let fixture = fixture.clone();
        calls.spawn(async move { process(&fixture, of).await });
    }
    let results = calls.join_all().await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(states(&fixture).await, ["ready"; 10]);
    assert_eq!((&photo(&fixture).await["picture"]["status"], vectors(&fixture).await.len()), (&json!("ready"), 10));
    assert_eq!(fixture.item(Key::user(&ada().0)).await["photos"], 3);
}

#[tokio::test]
async fn one_upload_at_a_time_is_processed_for_a_picture() {
    let fixture = fixture_of([PENDING; 2]).await;
    upload(&fixture, 1).await;
    let process = |sequencer| process_key(&fixture, key(1), sequencer);
    let (first, second) = tokio::join!(process("0001"), process("0002"));
    first.and(second).unwrap();
    let downloads = fixture.operations().into_iter().filter(|operation| operation == "GetObject");
    assert_eq!((downloads.count(), states(&fixture).await), (1, vec!["ready", "pending"]));
}

#[tokio::test]
async fn an_attempt_that_is_interrupted_anywhere_is_completed_by_the_next_one() {
    for requests in 0..7 {
        for (fault, repetitions) in [(Fault::Error("AccessDenied"), 1), (Fault::AnswerLost, 5)] {
            let fixture = fixture_of([Picture::Pending, Picture::Pending]).await;
            upload(&fixture, 1).await;
            upload(&fixture, 2).await;
            process(&fixture, 1).await.unwrap();
            let faults = std::iter::repeat_n(Fault::None, requests).chain(std::iter::repeat_n(fault, repetitions));
            fixture.inject(faults);
            let first = process(&fixture, 2).await;
            fixture.clear_faults();
            if first.is_err() {
                process(&fixture, 2).await.unwrap();
            }
            assert_eq!(states(&fixture).await, ["ready"; 2], "{requests}");
            assert_eq!(photo(&fixture).await["picture"]["status"], "ready", "{requests}");
            assert_eq!(fixture.item(Key::user(&ada().0)).await["photos"], 3, "{requests}");
            assert!(!fixture.objects().await.keys().any(|key| key.starts_with("incoming/")), "{requests}");
        }
    }
}

#[tokio::test]
async fn what_comes_for_a_picture_that_is_gone_is_deleted_and_nothing_else() {
    let ready_of = |of| testing::numbered(ready(PNG), of);
    let [photo, left] = several("ada", TIMESTAMP, [ready_of(1), Picture::Pending]);
    let mut one_less: Pictures = shared::dynamodb::entity::from_item(left.clone()).unwrap();
    one_less.entries.remove(1);
    let one_less = one_less.put_new("table", &ada().0).unwrap().item;
    let (owner, id) = ada();
    let first = picture_key(&owner, &id, Some(number(1)), &PictureId::from_file(PNG), Size::Small);
    // The owner has left the picture out, deleted the photo, or it is settled, or it was never there.
    for (of, items, is_first_left) in [
        (2, [photo.clone(), one_less], true),
        (2, [photo_deletion("ada", TIMESTAMP, 0), left.clone()], true),
        (1, [photo.clone(), left.clone()], true),
        (7, [photo, left], true),
    ] {
        let fixture = fixture_of([PENDING; 2]).await;
        for item in items {
            fixture.put(item).await;
        }
        put(&fixture, &first, PNG).await;
        upload(&fixture, of).await;
        put(&fixture, &format!("{}x/small.jpg", numbered_prefix(&owner, &id, number(of))), PNG).await;
        // The number is the beginning of another number.
        put(&fixture, &format!("{}0", key(of)), PNG).await;
        let items = fixture.all_items().await;
        process(&fixture, of).await.unwrap();
        let keys: Vec<_> = fixture.objects().await.into_keys().collect();
        assert_eq!(keys.contains(&first), is_first_left, "{of} {keys:?}");
        assert_eq!((keys.len(), keys.contains(&format!("{}0", key(of)))), (2, true), "{keys:?}");
        assert_eq!(fixture.all_items().await, items);
    }
}

#[tokio::test]
async fn a_picture_of_a_photo_that_expires_or_is_deleted_meanwhile_does_not_become_ready() {
    let [pending, _] = several("ada", TIMESTAMP, [PENDING; 2]);
    let mut expired = pending.clone();
    expired.insert("ttl".to_owned(), aws_sdk_dynamodb::types::AttributeValue::N("1".to_owned()));
    for replacement in [expired, photo_deletion("ada", TIMESTAMP, 0)] {
        let fixture = fixture_of([ready(PNG), Picture::Pending]).await;
        upload(&fixture, 2).await;
        fixture.write_concurrently(4, vec![replacement], vec![]);
        process(&fixture, 2).await.unwrap();
        assert_eq!(states(&fixture).await, ["ready", "pending"]);
        assert_eq!(vectors(&fixture).await, []);
    }
}

#[tokio::test]
async fn a_file_without_a_number_changes_nothing_of_several_pictures() {
    let fixture = fixture_of([ready(PNG), ready(PNG)]).await;
    let (owner, id) = ada();
    let first = picture_key(&owner, &id, Some(number(2)), &PictureId::from_file(PNG), Size::Small);
    put(&fixture, &first, PNG).await;
    super::upload(&fixture, PNG).await;
    let items = fixture.all_items().await;
    super::process(&fixture).await.unwrap();
    assert_eq!(fixture.all_items().await, items);
    assert_eq!(fixture.objects().await.into_keys().collect::<Vec<_>>(), [first]);
    // While the photo is pending too.
    let fixture = fixture_of([PENDING; 2]).await;
    super::upload(&fixture, PNG).await;
    let items = fixture.all_items().await;
    super::process(&fixture).await.unwrap();
    assert_eq!(fixture.all_items().await, items);
}

#[tokio::test]
async fn a_picture_of_an_import_is_rejected_after_some_attempts() {
    let fixture = fixture_of([PENDING; 2]).await;
    let (owner, id) = ada();
    let key = imported_key(&owner, &id, Some(number(2)));
    put(&fixture, &key, PNG).await;
    let upload = Upload { key, sequencer: "0001".to_owned(), receives: Some(MAX_RECEIVES + 1) };
    fixture.handler(ProcessPhoto::start).handle(upload).await.unwrap();
    assert_eq!((states(&fixture).await, fixture.objects().await.len()), (vec!["pending", "rejected"], 0));
    assert_eq!(pictures(&fixture).await.entries[1].picture, rejected());
}
