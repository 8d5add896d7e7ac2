use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::entities::Key;
use shared::entities::object::{imported_key, incoming_key, picture_prefix, pictures_prefix};
use shared::values::EpochMillis;
use testing::{
    FEED, Fault, Fixture, Object, PNG, claimed_photo, expired_photo, photo_deletion, photo_with, ready, with,
};

use super::*;

mod numbered;

const TIMESTAMP: &str = "2026-01-01T00:00:00.000Z";
/// Another photo of ada, which no test changes.
const OTHER_TIMESTAMP: &str = "2026-01-01T00:00:00";

async fn fixture_with(picture: Picture) -> Fixture {
    let fixture = Fixture::with_s3("process-photo").await;
    fixture.put(photo_with("ada", TIMESTAMP, picture)).await;
    fixture.put(photo_with("ada", OTHER_TIMESTAMP, Picture::Pending)).await;
    fixture.put(photo_with("ben", TIMESTAMP, Picture::Pending)).await;
    fixture
}

async fn put(fixture: &Fixture, key: &str, bytes: &[u8]) {
    let object =
        Object { content_type: Some("image/png".to_owned()), cache_control: None, bytes: bytes.to_vec().into() };
    fixture.put_object(key, object).await;
}

fn ada() -> (Username, PhotoId) {
    ("ada".parse().unwrap(), TIMESTAMP.parse().unwrap())
}

async fn upload(fixture: &Fixture, bytes: &[u8]) {
    let (owner, id) = ada();
    put(fixture, &incoming_key(&owner, &id, None), bytes).await;
}

async fn process(fixture: &Fixture) -> Result<(), Error> {
    process_upload(fixture, "0001").await
}

/// Processes the file of ada's photo for the event with this sequencer.
async fn process_upload(fixture: &Fixture, sequencer: &str) -> Result<(), Error> {
    let (owner, id) = ada();
    process_key(fixture, incoming_key(&owner, &id, None), sequencer).await
}

async fn process_key(fixture: &Fixture, key: String, sequencer: &str) -> Result<(), Error> {
    let upload = Upload { key, sequencer: sequencer.to_owned(), receives: None };
    fixture.handler(ProcessPhoto::start).handle(upload).await
}

async fn photo(fixture: &Fixture) -> Value {
    let (owner, id) = ada();
    fixture.item(Key::photo(&owner, &id)).await
}

/// Returns the vector of ada's photo, if there is one.
async fn vector(fixture: &Fixture) -> Value {
    let items = fixture.all_items_of(FEED).await;
    items.get(&format!("Vector#ada {TIMESTAMP}")).map_or(Value::Null, |item| item["vector"].clone())
}

/// Asserts that the bucket holds the picture that was made from `file`, and nothing else.
async fn assert_only_picture(fixture: &Fixture, file: &[u8]) {
    let (owner, id) = ada();
    let prefix = picture_prefix(&owner, &id, None, &PictureId::from_file(file));
    let keys: Vec<_> = fixture.objects().await.into_keys().collect();
    assert_eq!(keys, [format!("{prefix}small.jpg")], "the picture has one pixel");
}

/// Returns another file with the same picture.
fn other_file() -> Vec<u8> {
    [PNG, b"end"].concat()
}

#[tokio::test]
async fn makes_a_pending_photo_ready() {
    let fixture = fixture_with(Picture::Pending).await;
    let others = fixture.all_items().await;
    upload(&fixture, PNG).await;
    process(&fixture).await.unwrap();
    assert_eq!(fixture.operations(), ["UpdateItem", "GetObject", "PutObject", "TransactWriteItems", "DeleteObject"]);
    assert_only_picture(&fixture, PNG).await;
    let objects = fixture.objects().await;
    for object in objects.values() {
        assert_eq!(object.content_type.as_deref(), Some("image/jpeg"));
        assert_eq!(object.cache_control.as_deref(), Some("private, max-age=604800"));
        assert_eq!(object.bytes[..3], [0xff, 0xd8, 0xff], "a JPEG");
    }

    let photo = photo(&fixture).await;
    let bytes: usize = objects.values().map(|object| object.bytes.len()).sum();
    let blurhash = photo["picture"]["sizes"]["blurhash"].as_str().unwrap();
    let sizes = json!({"id": PictureId::from_file(PNG), "width": 1, "height": 1, "bytes": bytes, "blurhash": blurhash});
    let picture = json!({"status": "ready", "sizes": sizes});
    assert_eq!((&photo["picture"], &photo["ttl"]), (&picture, &Value::Null), "it does not expire any more");
    let elements = pictures::vector(PNG).unwrap().to_vec();
    assert_eq!(vector(&fixture).await, json!(elements));
    let mut after = fixture.all_items().await;
    let key = format!("USER#ada PHOTO#ada#{TIMESTAMP}");
    after.insert(key.clone(), others[&key].clone());
    let ada = after.get_mut("USER#ada #METADATA#ada").unwrap();
    assert_eq!(ada["photos"], 3, "the photo counts");
    ada["photos"] = json!(2);
    assert_eq!(after, others, "other photos and users are the same");
}

#[tokio::test]
async fn the_same_event_again_changes_nothing() {
    let fixture = fixture_with(Picture::Pending).await;
    upload(&fixture, PNG).await;
    process(&fixture).await.unwrap();
    let (items, objects) = (fixture.all_items().await, fixture.objects().await);
    for file in [None, Some(PNG.to_vec()), Some(other_file()), Some(b"no picture".to_vec())] {
        if let Some(file) = file {
            upload(&fixture, &file).await;
        }
        process(&fixture).await.unwrap();
        assert_eq!((fixture.all_items().await, fixture.objects().await), (items.clone(), objects.clone()));
    }
}

/// Returns the count of photos of ada.
async fn photos_of_ada(fixture: &Fixture) -> Value {
    fixture.item(Key::user(&"ada".parse().unwrap())).await["photos"].clone()
}

#[tokio::test]
async fn counts_a_photo_once_if_an_answer_is_lost() {
    for request in 0..5 {
        let fixture = fixture_with(Picture::Pending).await;
        upload(&fixture, PNG).await;
        fixture.inject((0..request).map(|_| Fault::None).chain([Fault::AnswerLost]));
        let _ = process(&fixture).await;
        process(&fixture).await.unwrap();
        assert_eq!((photos_of_ada(&fixture).await, &photo(&fixture).await["unready"]), (json!(3), &Value::Null));
    }
}

#[tokio::test]
async fn a_rejected_photo_counts_nowhere() {
    let fixture = fixture_with(Picture::Pending).await;
    upload(&fixture, b"<html>").await;
    process(&fixture).await.unwrap();
    assert_eq!((photos_of_ada(&fixture).await, &photo(&fixture).await["unready"]), (json!(2), &json!(true)));
}

#[tokio::test]
async fn leaves_the_photo_of_a_deleted_owner_to_the_deletion() {
    let fixture = fixture_with(Picture::Pending).await;
    upload(&fixture, PNG).await;
    fixture.put(testing::deletion("ada")).await;
    let before = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    process(&fixture).await.unwrap();
    assert_eq!(photo(&fixture).await["picture"]["status"], "pending");
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await, before);
    assert_eq!(vector(&fixture).await, Value::Null);
}

#[tokio::test]
async fn rejects_a_file_that_is_no_picture() {
    for (file, problem) in [(&b"<html>"[..], "not-a-picture"), (b"", "not-a-picture"), (&PNG[..45], "picture-damaged")]
    {
        let fixture = fixture_with(Picture::Pending).await;
        upload(&fixture, file).await;
        process(&fixture).await.unwrap();
        let photo = photo(&fixture).await;
        assert_eq!((&photo["picture"]["status"], &photo["ttl"]), (&json!("rejected"), &Value::Null));
        assert_eq!(photo["picture"]["problem"], format!("tag:quick-photos.example,2026:{problem}"));
        assert_eq!(vector(&fixture).await, Value::Null);
        assert!(fixture.objects().await.is_empty());
    }
}

#[tokio::test]
async fn rejects_a_file_that_is_larger_than_a_form_allows_without_reading_it() {
    let fixture = fixture_with(Picture::Pending).await;
    upload(&fixture, &vec![0; usize::try_from(MAX_UPLOAD_BYTES).unwrap() + 1]).await;
    process(&fixture).await.unwrap();
    assert_eq!(photo(&fixture).await["picture"]["problem"], "tag:quick-photos.example,2026:picture-too-large");
    assert!(fixture.objects().await.is_empty());
}

#[tokio::test]
async fn deletes_an_object_that_no_pending_photo_waits_for() {
    let fixture = fixture_with(testing::rejected()).await;
    let items = fixture.all_items().await;
    let unknown = [
        format!("incoming/ada/{TIMESTAMP}"),
        "incoming/nobody/2026-01-01T00:00:00".to_owned(),
        "incoming/ada/2026".to_owned(),
        "incoming/a b+c%".to_owned(),
    ];
    for key in &unknown {
        put(&fixture, key, PNG).await;
    }
    put(&fixture, &format!("incoming/ada/{OTHER_TIMESTAMP}"), PNG).await;
    for key in unknown {
        process_key(&fixture, key, "0001").await.unwrap();
    }
    let left: Vec<_> = fixture.objects().await.into_keys().collect();
    assert_eq!(left, [format!("incoming/ada/{OTHER_TIMESTAMP}")], "the file of another photo");
    assert_eq!(fixture.all_items().await, items);
}

#[tokio::test]
async fn a_photo_whose_file_is_gone_stays_pending() {
    let fixture = fixture_with(Picture::Pending).await;
    process(&fixture).await.unwrap();
    assert_eq!(fixture.operations(), ["UpdateItem", "GetObject", "GetItem"]);
    assert_eq!(photo(&fixture).await["picture"], json!({"status": "pending"}));
}

/// The invocation that holds the claim reads the file that has the key then, and deletes it in the
/// end.
#[tokio::test]
async fn drops_another_upload_while_a_claim_holds() {
    let fixture = fixture_with(Picture::Pending).await;
    fixture.put(claimed_photo("ada", TIMESTAMP, "0001", 60)).await;
    upload(&fixture, PNG).await;
    let (items, objects) = (fixture.all_items().await, fixture.objects().await);
    process_upload(&fixture, "0002").await.unwrap();
    assert_eq!(fixture.operations(), ["UpdateItem", "GetItem"]);
    assert_eq!((fixture.all_items().await, fixture.objects().await), (items, objects));
    process_upload(&fixture, "0001").await.unwrap();
    let photo = photo(&fixture).await;
    assert_eq!((&photo["picture"]["status"], &photo["claim"]), (&json!("ready"), &Value::Null));
    assert_only_picture(&fixture, PNG).await;
}

#[tokio::test]
async fn another_upload_takes_over_when_a_claim_has_ended() {
    let fixture = fixture_with(Picture::Pending).await;
    fixture.put(claimed_photo("ada", TIMESTAMP, "0001", 0)).await;
    upload(&fixture, PNG).await;
    let begin = EpochMillis::now().seconds();
    fixture.inject([Fault::None, Fault::Error("AccessDenied")]);
    process_upload(&fixture, "0002").await.unwrap_err();
    let claim = photo(&fixture).await["claim"].clone();
    assert_eq!(claim["sequencer"], "0002");
    let ends = claim["ends"].as_u64().unwrap();
    assert!((begin + 300..=EpochMillis::now().seconds() + 300).contains(&ends), "five minutes from now: {ends}");
    process_upload(&fixture, "0001").await.unwrap();
    assert_eq!(photo(&fixture).await["picture"]["status"], "pending", "the first upload has lost its claim");
    process_upload(&fixture, "0002").await.unwrap();
    assert_eq!(photo(&fixture).await["picture"]["status"], "ready");
}

#[tokio::test]
async fn files_that_are_uploaded_with_one_form_are_not_processed_at_the_same_time() {
    let fixture = fixture_with(Picture::Pending).await;
    upload(&fixture, PNG).await;
    let process = |sequencer| process_upload(&fixture, sequencer);
    let (first, second, third) = tokio::join!(process("0001"), process("0002"), process("0003"));
    first.and(second).and(third).unwrap();
    let downloads = fixture.operations().into_iter().filter(|operation| operation == "GetObject");
    assert_eq!(downloads.count(), 1);
    assert_only_picture(&fixture, PNG).await;
}

#[tokio::test]
async fn a_late_file_does_not_revive_an_expired_photo() {
    let fixture = fixture_with(Picture::Pending).await;
    fixture.put(expired_photo("ada", TIMESTAMP)).await;
    upload(&fixture, PNG).await;
    let (items, objects) = (fixture.all_items().await, fixture.objects().await);
    process(&fixture).await.unwrap();
    assert_eq!(fixture.operations(), ["UpdateItem", "GetItem"]);
    assert_eq!((fixture.all_items().await, fixture.objects().await), (items, objects), "finish-deletion deletes them");
}

/// Each of the requests fails once, before or after it has its effect, and Lambda sends the event
/// again.
#[tokio::test]
async fn an_attempt_that_is_interrupted_anywhere_is_completed_by_the_next_one() {
    for requests in 0..6 {
        for (fault, repetitions) in [(Fault::Error("AccessDenied"), 1), (Fault::AnswerLost, 5)] {
            let fixture = fixture_with(Picture::Pending).await;
            upload(&fixture, PNG).await;
            let faults = std::iter::repeat_n(Fault::None, requests).chain(std::iter::repeat_n(fault, repetitions));
            fixture.inject(faults);
            let first = process(&fixture).await;
            fixture.clear_faults();
            if first.is_err() {
                process(&fixture).await.unwrap();
            }
            assert_eq!(photo(&fixture).await["picture"]["status"], "ready", "{requests}");
            assert!(vector(&fixture).await.is_array(), "{requests}");
            assert_only_picture(&fixture, PNG).await;
        }
    }
}

/// Replaces the photo while process-photo stores its picture, and returns the keys of the objects
/// that are left.
async fn replaced_meanwhile(replacement: Item) -> (Fixture, Vec<String>) {
    let fixture = fixture_with(Picture::Pending).await;
    upload(&fixture, PNG).await;
    // `UpdateItem`, `GetObject` and `PutObject` come first.
    fixture.write_concurrently(3, vec![replacement], vec![]);
    process(&fixture).await.unwrap();
    let keys = fixture.objects().await.into_keys().collect();
    (fixture, keys)
}

#[tokio::test]
async fn what_is_stored_for_a_photo_that_is_deleted_meanwhile_is_deleted() {
    let (fixture, keys) = replaced_meanwhile(photo_deletion("ada", TIMESTAMP, 0)).await;
    assert_eq!(keys, Vec::<String>::new());
    assert_eq!((&photo(&fixture).await["picture"], vector(&fixture).await), (&Value::Null, Value::Null));
}

#[tokio::test]
async fn a_photo_that_expires_meanwhile_does_not_become_ready() {
    let (fixture, _) = replaced_meanwhile(expired_photo("ada", TIMESTAMP)).await;
    assert_eq!(photo(&fixture).await["picture"], json!({"status": "pending"}));
}

#[tokio::test]
async fn only_the_vector_of_a_photo_for_everyone_is_in_the_index() {
    let pending = photo_with("ada", TIMESTAMP, Picture::Pending);
    let restricted = with(pending.clone(), "audience", "followers");
    // The owner changes the audience before the claim, or between the claim and the transaction.
    for (before, after, attempts) in
        [(&pending, &pending, 1), (&restricted, &restricted, 1), (&pending, &restricted, 2), (&restricted, &pending, 2)]
    {
        let fixture = fixture_with(Picture::Pending).await;
        fixture.put(before.clone()).await;
        upload(&fixture, PNG).await;
        fixture.write_concurrently(3, vec![after.clone()], vec![]);
        process(&fixture).await.unwrap();
        let transactions = fixture.operations().into_iter().filter(|operation| operation == "TransactWriteItems");
        assert_eq!((transactions.count(), &photo(&fixture).await["picture"]["status"]), (attempts, &json!("ready")));
        let vector = fixture.all_items_of(FEED).await[&format!("Vector#ada {TIMESTAMP}")].clone();
        let elements = json!(pictures::vector(PNG).unwrap().to_vec());
        let is_public = after == &pending;
        let (shown, other) = if is_public { ("vector", "hidden") } else { ("hidden", "vector") };
        assert_eq!((&vector[shown], &vector[other]), (&elements, &Value::Null));
    }
}

#[tokio::test]
async fn the_first_of_two_files_that_are_uploaded_at_the_same_time_is_shown() {
    let (fixture, keys) = replaced_meanwhile(photo_with("ada", TIMESTAMP, ready(&other_file()))).await;
    assert_eq!(keys, Vec::<String>::new(), "only the picture that lost is stored in this test");
    assert_eq!(photo(&fixture).await["picture"]["sizes"]["id"], json!(PictureId::from_file(&other_file())));

    let fixture = fixture_with(ready(PNG)).await;
    let (owner, id) = ada();
    for file in [PNG, &other_file()] {
        for size in [Size::Small, Size::Medium] {
            put(&fixture, &picture_key(&owner, &id, None, &PictureId::from_file(file), size), PNG).await;
        }
    }
    assert!(fixture.objects().await.keys().all(|key| key.starts_with(&pictures_prefix(&owner, &id))));
    process(&fixture).await.unwrap();
    let shown = picture_prefix(&owner, &id, None, &PictureId::from_file(PNG));
    let keys: Vec<_> = fixture.objects().await.into_keys().collect();
    assert_eq!(keys, [format!("{shown}medium.jpg"), format!("{shown}small.jpg")]);
}

/// Delivers the message about the imported picture of ada's photo, which is received so many times.
async fn receive(fixture: &Fixture, receives: u32) -> Result<(), String> {
    let (owner, id) = ada();
    let message = json!({
        "messageId": "m1", "body": json!({"key": imported_key(&owner, &id, None)}).to_string(), "eventSource": "aws:sqs",
        "attributes": {"ApproximateReceiveCount": receives.to_string()},
    });
    fixture.upload(ProcessPhoto::start, json!({ "Records": [message] })).await
}

async fn import(fixture: &Fixture, bytes: &[u8]) {
    let (owner, id) = ada();
    put(fixture, &imported_key(&owner, &id, None), bytes).await;
}

#[tokio::test]
async fn processes_the_picture_of_an_import_like_an_upload() {
    let fixture = fixture_with(Picture::Pending).await;
    import(&fixture, PNG).await;
    // The message may come twice.
    for _ in 0..2 {
        receive(&fixture, 1).await.unwrap();
        assert_only_picture(&fixture, PNG).await;
    }
    // The photo is gone, or has another picture.
    for picture in [ready(PNG), testing::rejected()] {
        fixture.put(photo_with("ada", TIMESTAMP, picture)).await;
        import(&fixture, PNG).await;
        receive(&fixture, 1).await.unwrap();
        assert!(!fixture.objects().await.keys().any(|key| key.starts_with("imported/")));
    }
}

#[tokio::test]
async fn rejects_the_picture_of_an_import_after_some_attempts_without_reading_it() {
    let fixture = fixture_with(Picture::Pending).await;
    import(&fixture, PNG).await;
    // The function ends early, and the message comes again.
    fixture.inject([Fault::None, Fault::Error("AccessDenied")]);
    receive(&fixture, MAX_RECEIVES).await.unwrap_err();
    assert_eq!(photo(&fixture).await["picture"]["status"], "pending");
    fixture.clear_faults();
    let _ = fixture.operations();
    receive(&fixture, MAX_RECEIVES + 1).await.unwrap();
    assert!(!fixture.operations().contains(&"GetObject".to_owned()));
    let rejected = photo(&fixture).await;
    assert_eq!(rejected["picture"]["status"], "rejected", "{rejected}");
    assert!(rejected.get("ttl").is_none() && fixture.objects().await.is_empty(), "{rejected}");
}

#[tokio::test]
async fn reads_the_key_of_its_sample_event() {
    let fixture = Fixture::with_s3("process-photo").await;
    fixture.put(testing::user("uma")).await;
    fixture.put(photo_with("uma", "2024-12-01T09:00:00.000Z", Picture::Pending)).await;
    fixture
        .put_object(
            "incoming/uma/2024-12-01T09:00:00.000Z",
            Object { content_type: None, cache_control: None, bytes: PNG.into() },
        )
        .await;
    fixture.upload(ProcessPhoto::start, fixture.sample_event()).await.unwrap();
    let photo = fixture.item(Key::photo(&"uma".parse().unwrap(), &"2024-12-01T09:00:00.000Z".parse().unwrap())).await;
    assert_eq!(photo["picture"]["status"], "ready");
    assert!(!fixture.objects().await.contains_key("incoming/uma/2024-12-01T09:00:00.000Z"));
}
