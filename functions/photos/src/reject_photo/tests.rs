use serde_json::{Value, json};
use shared::entities::object::{Size, incoming_key, picture_key};
use shared::entities::{Key, Picture};
use shared::values::{PhotoId, PictureId, Username};
use testing::{Fault, Fixture, Object, PNG, claimed_photo, expired_photo, photo_deletion, photo_with, ready};

use super::*;

mod numbered;

const TIMESTAMP: &str = "2026-01-01T00:00:00.000Z";

fn ada() -> (Username, PhotoId) {
    ("ada".parse().unwrap(), TIMESTAMP.parse().unwrap())
}

/// Returns a fixture with an uploaded file, and the large size of the picture that an interrupted
/// attempt has stored.
async fn fixture_with(picture: Picture) -> Fixture {
    let fixture = Fixture::with_s3("reject-photo").await;
    fixture.put(photo_with("ada", TIMESTAMP, picture)).await;
    fixture.put(photo_with("ben", TIMESTAMP, Picture::Pending)).await;
    let (owner, id) = ada();
    let keys =
        [incoming_key(&owner, &id, None), picture_key(&owner, &id, None, &PictureId::from_file(PNG), Size::Large)];
    for key in keys {
        fixture.put_object(&key, Object { content_type: None, cache_control: None, bytes: PNG.into() }).await;
    }
    fixture
}

async fn reject(fixture: &Fixture) -> Result<(), Error> {
    let (owner, id) = ada();
    let upload = Upload { key: incoming_key(&owner, &id, None), sequencer: "0001".to_owned(), receives: None };
    fixture.handler(RejectPhoto::start).handle(upload).await
}

async fn photo(fixture: &Fixture) -> Value {
    let (owner, id) = ada();
    fixture.item(Key::photo(&owner, &id)).await
}

#[tokio::test]
async fn rejects_a_pending_photo_and_deletes_its_files() {
    let fixture = fixture_with(Picture::Pending).await;
    let ben = fixture.item(Key::photo(&"ben".parse().unwrap(), &TIMESTAMP.parse().unwrap())).await;
    for _ in 0..2 {
        reject(&fixture).await.unwrap();
        let photo = photo(&fixture).await;
        assert_eq!(
            (&photo["picture"], &photo["ttl"]),
            (&json!({"status": "rejected", "problem": "tag:quick-photos.example,2026:picture-damaged"}), &Value::Null)
        );
        assert!(fixture.objects().await.is_empty());
    }
    assert_eq!(fixture.item(Key::photo(&"ben".parse().unwrap(), &TIMESTAMP.parse().unwrap())).await, ben);
}

#[tokio::test]
async fn leaves_a_photo_to_another_upload_that_holds_a_claim() {
    let fixture = fixture_with(Picture::Pending).await;
    fixture.put(claimed_photo("ada", TIMESTAMP, "0002", 60)).await;
    let (items, objects) = (fixture.all_items().await, fixture.objects().await);
    reject(&fixture).await.unwrap();
    assert_eq!((fixture.all_items().await, fixture.objects().await), (items, objects));
    for (sequencer, seconds) in [("0001", 60), ("0002", 0)] {
        fixture.put(claimed_photo("ada", TIMESTAMP, sequencer, seconds)).await;
        reject(&fixture).await.unwrap();
        let photo = photo(&fixture).await;
        assert_eq!((&photo["picture"]["status"], &photo["claim"]), (&json!("rejected"), &Value::Null));
        assert!(fixture.objects().await.is_empty());
    }
}

#[tokio::test]
async fn a_photo_that_has_expired_is_not_rejected() {
    let fixture = fixture_with(Picture::Pending).await;
    fixture.put(expired_photo("ada", TIMESTAMP)).await;
    let (items, objects) = (fixture.all_items().await, fixture.objects().await);
    reject(&fixture).await.unwrap();
    assert_eq!((fixture.all_items().await, fixture.objects().await), (items, objects), "finish-deletion deletes them");
}

#[tokio::test]
async fn a_photo_that_is_ready_stays_ready() {
    let fixture = fixture_with(ready(PNG)).await;
    let items = fixture.all_items().await;
    reject(&fixture).await.unwrap();
    assert_eq!(fixture.all_items().await, items);
    let (owner, id) = ada();
    let shown = picture_key(&owner, &id, None, &PictureId::from_file(PNG), Size::Large);
    assert_eq!(fixture.objects().await.into_keys().collect::<Vec<_>>(), [shown]);
}

#[tokio::test]
async fn deletes_the_files_of_a_photo_that_has_been_deleted() {
    let fixture = fixture_with(Picture::Pending).await;
    fixture.put(photo_deletion("ada", TIMESTAMP, 0)).await;
    let items = fixture.all_items().await;
    reject(&fixture).await.unwrap();
    assert_eq!(fixture.all_items().await, items);
    assert!(fixture.objects().await.is_empty());
}

#[tokio::test]
async fn an_attempt_that_is_interrupted_anywhere_is_completed_by_the_next_one() {
    for requests in 0..5 {
        let fixture = fixture_with(Picture::Pending).await;
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::Error("AccessDenied")]));
        assert!(reject(&fixture).await.is_err(), "{requests}");
        fixture.clear_faults();
        reject(&fixture).await.unwrap();
        assert_eq!(photo(&fixture).await["picture"]["status"], "rejected");
        assert!(fixture.objects().await.is_empty());
    }
}

#[tokio::test]
async fn an_event_without_a_photo_fails() {
    let fixture = fixture_with(Picture::Pending).await;
    let upload = Upload { key: "incoming/ada".to_owned(), sequencer: "0001".to_owned(), receives: None };
    assert!(fixture.handler(RejectPhoto::start).handle(upload).await.is_err());
    assert_eq!(fixture.operations(), Vec::<String>::new());
}

#[tokio::test]
async fn reads_the_key_of_its_sample_event() {
    let fixture = Fixture::with_s3("reject-photo").await;
    fixture.put(testing::user("uma")).await;
    fixture.put(photo_with("uma", "2024-12-01T09:00:00.000Z", Picture::Pending)).await;
    fixture
        .put_object(
            "incoming/uma/2024-12-01T09:00:00.000Z",
            Object { content_type: None, cache_control: None, bytes: PNG.into() },
        )
        .await;
    fixture.upload(RejectPhoto::start, fixture.sample_event()).await.unwrap();
    let photo = fixture.item(Key::photo(&"uma".parse().unwrap(), &"2024-12-01T09:00:00.000Z".parse().unwrap())).await;
    assert_eq!(photo["picture"]["status"], "rejected");
    assert!(!fixture.objects().await.contains_key("incoming/uma/2024-12-01T09:00:00.000Z"));
}
