//! The files of photos, and photos that expire.

use serde_json::json;
use shared::entities::object::{Size, export_key, export_part_key, incoming_key, picture_key};
use shared::entities::{Export, Key, Picture};
use shared::values::{PhotoId, PictureId, Username};
use testing::{Object, PNG, photo_with, ready};

use super::*;

/// A photo of ada whose id begins with that of [`ADAS_PHOTO`].
const NEXT_PHOTO: &str = "2024-05-30T15:42:38.123Z";

/// Puts an uploaded file and two pictures of a photo, as interrupted invocations of process-photo
/// can leave them.
async fn put_files(fixture: &Fixture, owner: &str, photo: &str) {
    let (owner, photo): (Username, PhotoId) = (owner.parse().unwrap(), photo.parse().unwrap());
    let pictures = [&b"one"[..], b"two"].map(PictureId::from_file);
    let pictures = pictures.iter().flat_map(|id| Size::ALL.map(|size| (id, size)));
    let keys = pictures.map(|(id, size)| picture_key(&owner, &photo, None, id, size));
    for key in keys.chain([incoming_key(&owner, &photo, None)]) {
        fixture.put_object(&key, Object { content_type: None, cache_control: None, bytes: PNG.into() }).await;
    }
}

async fn keys(fixture: &Fixture) -> Vec<String> {
    fixture.objects().await.into_keys().collect()
}

#[tokio::test]
async fn deletes_the_files_of_a_deleted_photo_and_no_others() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    for (owner, photo) in [("ada", NEXT_PHOTO), ("ada-b", ADAS_PHOTO), ("ben", ADAS_PHOTO)] {
        put_files(&fixture, owner, photo).await;
    }
    let others = keys(&fixture).await;
    put_files(&fixture, "ada", ADAS_PHOTO).await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 0);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(keys(&fixture).await, others);
}

#[tokio::test]
async fn keeps_the_photo_deletion_until_the_files_are_deleted() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put_files(&fixture, "ada", ADAS_PHOTO).await;
    let deletion = photo_deletion("ada", ADAS_PHOTO, 0);
    fixture.put(deletion.clone()).await;
    let key = Key::photo(&"ada".parse().unwrap(), &ADAS_PHOTO.parse().unwrap());
    // `BatchGetItem`, `Query` and a transaction for the reaction of the seed data come first.
    for requests in 3..7 {
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::Error("AccessDenied")]));
        assert!(try_to_handle(&fixture, photo_record(deletion.clone())).await.is_err());
        assert_eq!(fixture.item(key.clone()).await["ttl"], Value::Null, "{requests}");
        fixture.clear_faults();
    }
    handle(&fixture, photo_record(deletion)).await;
    assert!(fixture.item(key).await["ttl"].is_u64());
    assert_eq!(keys(&fixture).await, Vec::<String>::new());
}

#[tokio::test]
async fn deletes_the_files_of_a_deleted_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put_files(&fixture, "ben", "2024-06-26T03:59:33").await;
    let others = keys(&fixture).await;
    for photo in [ADAS_PHOTO, NEXT_PHOTO] {
        fixture.put(photo_with("ada", photo, ready(PNG))).await;
        put_files(&fixture, "ada", photo).await;
    }
    let deletion = deletion("ada");
    fixture.put(deletion.clone()).await;
    handle(&fixture, deletion_record(&deletion)).await;
    assert_eq!(keys(&fixture).await, others);
    assert_eq!(left_of(&fixture.all_items().await, "ada"), Vec::<&String>::new());
}

/// Puts an uploaded file of a pending photo of ada. Her counts include the photo, beside two that
/// are ready. Returns the record of its expiry.
async fn expired(fixture: &Fixture) -> Record {
    let pending = photo_with("ada", NEXT_PHOTO, Picture::Pending);
    let mut ada = user("ada");
    ada.extend([("uploads".into(), count(3)), ("photos".into(), count(2))]);
    fixture.put(ada).await;
    put_files(fixture, "ada", NEXT_PHOTO).await;
    record(pending, Item::new())
}

#[tokio::test]
async fn an_expired_photo_is_counted_no_more_and_leaves_nothing_but_a_trace() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let record = expired(&fixture).await;
    for _ in 0..3 {
        handle(&fixture, record.clone()).await;
        let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        assert_eq!(ada["uploads"], 2);
        assert_eq!(keys(&fixture).await, Vec::<String>::new());
    }
    let trace = fixture.item(Key::photo(&"ada".parse().unwrap(), &NEXT_PHOTO.parse().unwrap())).await;
    assert_eq!((&trace["erasing"], &trace["username"]), (&json!("ada"), &Value::Null));
    let lifetime = trace["ttl"].as_u64().unwrap() - shared::values::EpochMillis::now().seconds();
    assert!((86_400 + 3_600..=2 * 86_400).contains(&lifetime), "longer than the 24 hours of a record: {lifetime}");
}

#[tokio::test]
async fn an_expiry_that_is_interrupted_is_finished_by_the_next_attempt() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let record = expired(&fixture).await;
    for requests in 0..5 {
        let faults = (0..requests).map(|_| Fault::None).chain([Fault::Error("AccessDenied")]);
        fixture.inject(faults);
        assert!(try_to_handle(&fixture, record.clone()).await.is_err(), "{requests}");
        fixture.clear_faults();
    }
    handle(&fixture, record).await;
    let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!((&ada["uploads"], keys(&fixture).await.len()), (&json!(2), 0));
}

/// The record comes after an import has put another photo at the key, and then that one is deleted.
#[tokio::test]
async fn an_expired_photo_is_counted_no_more_if_an_import_has_taken_its_key() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let record = expired(&fixture).await;
    fixture.put(photo_with("ada", NEXT_PHOTO, ready(PNG))).await;
    let counts = async || {
        let ada = fixture.item(Key::user(&"ada".parse().unwrap())).await;
        [ada["uploads"].clone(), ada["photos"].clone()]
    };
    for _ in 0..2 {
        handle(&fixture, record.clone()).await;
        assert_eq!(counts().await, [2, 2]);
    }
    let key = Key::photo(&"ada".parse().unwrap(), &NEXT_PHOTO.parse().unwrap());
    let expired = fixture.item(key.clone()).await["expired"].as_u64().unwrap();
    let mut deletion = photo_deletion("ada", NEXT_PHOTO, 0);
    deletion.insert("expired".into(), N(expired.to_string()));
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion)).await;
    handle(&fixture, record).await;
    assert_eq!(counts().await, [1, 1]);
    assert!(fixture.item(key).await["ttl"].is_u64());
}

/// The gateway's clock says when a user was created, and the function's when the photo was
/// uploaded.
#[tokio::test]
async fn an_expired_photo_is_counted_no_more_if_it_seems_older_than_its_owner() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let record = expired(&fixture).await;
    let mut ada = user("ada");
    ada.insert("uploads".into(), count(1));
    ada.insert("created".into(), S("2024-05-30T15:42:38.323Z".into()));
    fixture.put(ada).await;
    handle(&fixture, record).await;
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await["uploads"], 0);
    assert_eq!(keys(&fixture).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_expiry_does_not_change_the_deletion_of_the_owner() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let record = expired(&fixture).await;
    fixture.put(deletion("ada")).await;
    let before = fixture.item(Key::user(&"ada".parse().unwrap())).await;
    handle(&fixture, record).await;
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await, before);
    assert_eq!(keys(&fixture).await, Vec::<String>::new());
}

#[tokio::test]
async fn ignores_the_end_of_a_photo_that_is_not_pending() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let before = fixture.all_items().await;
    for item in
        [photo("ada", ADAS_PHOTO), photo_with("ada", ADAS_PHOTO, ready(PNG)), photo_deletion("ada", ADAS_PHOTO, 0)]
    {
        handle(&fixture, record(item, Item::new())).await;
    }
    assert_eq!(fixture.operations(), Vec::<String>::new());
    assert_eq!(fixture.all_items().await, before);
}

/// A file that can be downloaded, and what an attempt that is under way has kept of two parts.
#[tokio::test]
async fn deletes_the_export_of_a_deleted_user_and_no_other() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    let export = |user: &str| {
        let user: Username = user.parse().unwrap();
        let export = Export::new("ada".parse().unwrap());
        let keys = [export_key(&user, &export.id), export_part_key(&user, &export.id, 2)];
        (entity::to_item(Key::export(&user), &export).unwrap(), keys)
    };
    let mut others = vec![];
    for user in ["ada", "ada-b"] {
        let (item, keys) = export(user);
        fixture.put_in(FEED, item).await;
        for key in keys {
            fixture.put_object(&key, Object { content_type: None, cache_control: None, bytes: PNG.into() }).await;
            others.extend((user != "ada").then_some(key));
        }
    }
    let deletion = deletion("ada");
    fixture.put(deletion.clone()).await;
    handle(&fixture, deletion_record(&deletion)).await;
    others.sort();
    assert_eq!(keys(&fixture).await, others);
    let mut left: Vec<String> = fixture.all_items_of(FEED).await.into_keys().collect();
    left.retain(|key| key.starts_with("Export#"));
    assert_eq!(left, ["Export#ada-b Export", "Export#ben Export"]);
}
