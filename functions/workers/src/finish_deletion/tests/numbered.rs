//! Photos of several pictures.

use serde_json::json;
use shared::dynamodb::entity;
use shared::entities::object::{Size, imported_key, incoming_key, picture_key};
use shared::entities::{Picture, PictureDeletion};
use shared::values::{PhotoId, PictureId, PictureNumber, Timestamp, Username};
use testing::{Object, PNG, ready, several, with, with_count};

use super::*;

const ID: &str = "2026-01-01T00:00:00.000Z";
const OTHER: &str = "2026-01-01T00:00:00";

fn number(number: u32) -> PictureNumber {
    number.try_into().unwrap()
}

/// Puts a photo with the files and the vectors of these numbers.
async fn put(fixture: &Fixture, owner: &str, id: &str, numbers: &[u32]) {
    for item in several(owner, id, [ready(b"one"), ready(b"two")]) {
        fixture.put(item).await;
    }
    let (of, photo): (Username, PhotoId) = (owner.parse().unwrap(), id.parse().unwrap());
    for n in numbers {
        let of_number = Some(number(*n));
        for key in [
            picture_key(&of, &photo, of_number, &PictureId::from_file(b"one"), Size::Small),
            incoming_key(&of, &photo, of_number),
            imported_key(&of, &photo, of_number),
        ] {
            fixture.put_object(&key, Object { content_type: None, cache_control: None, bytes: PNG.into() }).await;
        }
        let vector = with(testing::vector(owner, id, 1), "sk", format!("{id}#{n}"));
        fixture.put_in(FEED, vector).await;
    }
}

/// Returns all keys of the items, the vectors and the objects.
async fn everything(fixture: &Fixture) -> Vec<String> {
    let vectors = fixture.all_items_of(FEED).await.into_keys().filter(|key| key.starts_with("Vector#"));
    let items = fixture.all_items().await.into_keys();
    items.chain(vectors).chain(fixture.objects().await.into_keys()).collect()
}

#[tokio::test]
async fn deletes_the_pictures_of_a_deleted_photo_with_their_vectors_and_files() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put(&fixture, "ada", OTHER, &[1, 2]).await;
    put(&fixture, "ben", ID, &[1, 2]).await;
    let others = everything(&fixture).await;
    put(&fixture, "ada", ID, &[1, 2]).await;
    let deletion = with_count(photo_deletion("ada", ID, 0), "pictures", 2);
    fixture.put(deletion.clone()).await;
    handle(&fixture, photo_record(deletion.clone())).await;
    let left: Vec<String> = everything(&fixture).await.into_iter().filter(|key| !others.contains(key)).collect();
    // process-photo deletes the files of an import when it gets their messages.
    let (ada, id) = ("ada".parse().unwrap(), ID.parse().unwrap());
    let imported = [1, 2].map(|n| imported_key(&ada, &id, Some(number(n))));
    assert_eq!(left, [&[format!("USER#ada PHOTO#ada#{ID}")][..], &imported].concat());
    let before = everything(&fixture).await;
    handle(&fixture, photo_record(deletion)).await;
    assert_eq!(everything(&fixture).await, before);
}

#[tokio::test]
async fn an_interrupted_deletion_is_completed_by_the_next_attempt() {
    for requests in 0..7 {
        let fixture = Fixture::with_s3("finish-deletion").await;
        put(&fixture, "ada", ID, &[1, 2]).await;
        let deletion = with_count(photo_deletion("ada", ID, 0), "pictures", 2);
        fixture.put(deletion.clone()).await;
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::Error("AccessDenied")]));
        assert!(try_to_handle(&fixture, photo_record(deletion.clone())).await.is_err(), "{requests}");
        fixture.clear_faults();
        handle(&fixture, photo_record(deletion)).await;
        let left: Vec<String> = everything(&fixture).await.into_iter().filter(|key| key.contains(ID)).collect();
        assert_eq!(left.len(), 3, "the trace and the files of an import: {left:?}");
    }
}

#[tokio::test]
async fn deletes_the_files_of_a_removed_picture_and_no_others() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put(&fixture, "ada", ID, &[3, 30]).await;
    put(&fixture, "ada", OTHER, &[1]).await;
    let (owner, id): (Username, PhotoId) = ("ada".parse().unwrap(), ID.parse().unwrap());
    let deletion =
        PictureDeletion { erasing: owner.clone(), id: id.clone(), number: number(3), since: Timestamp::now() };
    let item = entity::to_item(Key::picture_deletion(&owner, &id, number(3)), &deletion).unwrap();
    fixture.put(item.clone()).await;
    let of_picture = |key: &String| {
        key.starts_with(&format!("photos/ada/{ID}/3/"))
            || [incoming_key, imported_key].map(|file| file(&owner, &id, Some(number(3)))).contains(key)
            || key.starts_with("USER#ada PICTURE#")
    };
    let mut expected = everything(&fixture).await;
    expected.retain(|key| !of_picture(key));
    for requests in 0..6 {
        fixture.inject(std::iter::repeat_n(Fault::None, requests).chain([Fault::Error("AccessDenied")]));
        assert!(try_to_handle(&fixture, record(Item::new(), item.clone())).await.is_err(), "{requests}");
        fixture.clear_faults();
    }
    for _ in 0..2 {
        handle(&fixture, record(Item::new(), item.clone())).await;
        assert_eq!(everything(&fixture).await, expected);
    }
}

/// A deletion that has failed for more than two days comes again after an import, which counts pictures from 1 on.
#[tokio::test]
async fn a_late_deletion_leaves_the_picture_that_an_import_has_made() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put(&fixture, "ada", ID, &[1, 2]).await;
    for item in several("ada", ID, [ready(b"one"), ready(b"two")]) {
        fixture.put(item).await;
    }
    let mut expected = everything(&fixture).await;
    let (owner, id): (Username, PhotoId) = ("ada".parse().unwrap(), ID.parse().unwrap());
    let key = Key::picture_deletion(&owner, &id, number(2));
    let late = PictureDeletion { erasing: owner, id, number: number(2), since: Timestamp::now() };
    let item = entity::to_item(key, &late).unwrap();
    fixture.put(item.clone()).await;
    handle(&fixture, record(Item::new(), item)).await;
    expected.retain(|key| !key.starts_with("USER#ada PICTURE#"));
    assert_eq!(everything(&fixture).await, expected);
}

#[tokio::test]
async fn deletes_the_pictures_of_an_expired_photo() {
    for is_taken in [false, true] {
        let fixture = Fixture::with_s3("finish-deletion").await;
        put(&fixture, "ada", ID, &[2]).await;
        let [mut photo, pictures] = several("ada", ID, [Picture::Pending, ready(b"two")]);
        photo.insert("ttl".to_owned(), N("1".to_owned()));
        fixture.put(pictures).await;
        if is_taken {
            // An import has put another photo at the key.
            for item in several("ada", ID, [ready(b"one"), ready(b"two")]) {
                fixture.put(item).await;
            }
        } else {
            fixture.delete(key_of(photo.clone())).await;
        }
        let expired = record(photo, Item::new());
        for _ in 0..2 {
            handle(&fixture, expired.clone()).await;
            let left = everything(&fixture).await;
            let has = |start: &str| left.iter().any(|key| key.starts_with(start));
            assert_eq!(has(&format!("USER#ada PICTURES#ada#{ID}")), is_taken);
            assert_eq!(has(&format!("Vector#ada {ID}#2")), is_taken);
            assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await["uploads"], json!(1));
        }
    }
}

#[tokio::test]
async fn deletes_the_pictures_of_a_deleted_user() {
    let fixture = Fixture::with_s3("finish-deletion").await;
    put(&fixture, "ben", ID, &[1, 2]).await;
    put(&fixture, "ada", ID, &[1, 2]).await;
    let (owner, id): (Username, PhotoId) = ("ada".parse().unwrap(), OTHER.parse().unwrap());
    let removed =
        PictureDeletion { erasing: owner.clone(), id: id.clone(), number: number(3), since: Timestamp::now() };
    fixture.put(entity::to_item(Key::picture_deletion(&owner, &id, number(3)), &removed).unwrap()).await;
    let deletion = deletion("ada");
    fixture.put(deletion.clone()).await;
    handle(&fixture, deletion_record(&deletion)).await;
    assert_eq!(left_of(&fixture.all_items().await, "ada"), Vec::<&String>::new());
    let left = everything(&fixture).await;
    assert!(!left.iter().any(|key| key.starts_with("Vector#ada ") || key.starts_with("photos/ada/")), "{left:?}");
    assert_eq!(left.iter().filter(|key| key.contains(&format!("ben {ID}#"))).count(), 2);
}
