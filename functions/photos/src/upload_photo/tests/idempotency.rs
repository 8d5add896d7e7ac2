//! Requests with an idempotency key.

use super::*;
use shared::entities::Key;
use testing::{Answer, FAVORITE, expired_photo, photo_with, ready};

/// Returns the photo of an answer, without the form, whose signature differs from second to second.
fn photo_of(body: &Value) -> Value {
    let mut photo = body.clone();
    photo.as_object_mut().unwrap().remove("upload");
    photo
}

/// Returns a request of ada with an idempotency key.
fn post_once(idempotency_key: &str, format: &str) -> TestRequest {
    post(&json!({ "format": format })).header("idempotency-key", idempotency_key)
}

fn record_name(username: &str, idempotency_key: &str) -> String {
    format!("IdempotencyKey#{username} photos#{idempotency_key}")
}

async fn upload_once(fixture: &Fixture, idempotency_key: &str, format: &str) -> Answer {
    fixture.call(UploadPhoto::start, post_once(idempotency_key, format)).await
}

#[tokio::test]
async fn a_repeated_idempotency_key_returns_the_first_photo() {
    let fixture = Fixture::new("upload-photo").await;
    let (photos, mut favorites) = (fixture.all_items().await.len(), fixture.all_items_of(FAVORITE).await);
    let begin = EpochMillis::now().seconds();
    let first = upload_once(&fixture, "k-1", "webp").await;
    assert_eq!(first.status, 201, "{}", first.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert!(!fixture.item(key(&first.body)).await.is_null());

    let mut after = fixture.all_items_of(FAVORITE).await;
    let record = after[&record_name("ada", "k-1")].clone();
    let ttl = record["ttl"].as_u64().unwrap();
    assert!((begin + 86_400..=EpochMillis::now().seconds() + 86_400).contains(&ttl), "24 hours from now: {ttl}");
    let made: Value = serde_json::from_str(record["made"].as_str().unwrap()).unwrap();
    assert_eq!(made, photo_of(&first.body), "the record has no form");
    assert_eq!(record.as_object().unwrap().len(), 5, "the record is in no index: {record}");
    favorites.insert(record_name("ada", "k-1"), record);
    assert_eq!(after, favorites);

    for idempotency_key in ["k-1", "\"k-1\""] {
        let again = upload_once(&fixture, idempotency_key, "webp").await;
        assert_eq!((again.status, photo_of(&again.body)), (200, photo_of(&first.body)));
        assert_eq!(again.body["upload"]["fields"]["key"], first.body["upload"]["fields"]["key"]);
        assert!(!again.headers.contains_key("location"));
        assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"]);
    }
    after = fixture.all_items_of(FAVORITE).await;
    assert_eq!((fixture.all_items().await.len(), after), (photos + 1, favorites));
}

#[tokio::test]
async fn writes_no_record_without_an_idempotency_key() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items_of(FAVORITE).await;
    assert_eq!(fixture.call(UploadPhoto::start, post(&json!({}))).await.status, 201);
    assert_eq!(fixture.all_items_of(FAVORITE).await, before);
}

#[tokio::test]
async fn a_body_in_base64_has_the_hash_of_its_bytes() {
    let fixture = Fixture::new("upload-photo").await;
    let mut event = fixture.sample_event();
    event["headers"]["idempotency-key"] = json!("k-1");
    let call = async |event: &Value| {
        let request = lambda_http::request::from_str(&event.to_string()).unwrap();
        let Ok(response) = fixture.service(UploadPhoto::start).respond(request).await;
        response
    };
    let first = call(&event).await;
    event["body"] = json!("eyJmb3JtYXQiOiJqcGVnIn0=");
    event["isBase64Encoded"] = json!(true);
    let again = call(&event).await;
    assert_eq!((first.status().as_u16(), again.status().as_u16()), (201, 200));
}

#[tokio::test]
async fn the_same_idempotency_key_of_another_user_or_route_is_another_key() {
    let fixture = Fixture::new("upload-photo").await;
    let table = fixture.unrecorded_table(FAVORITE);
    let idempotency_key = "k-1".parse().unwrap();
    let of_favorite = Key::idempotency_record(&"ada".parse().unwrap(), &IdempotencyScope::Favorites, &idempotency_key);
    table.client.put_item().table_name(table.name).set_item(Some(of_favorite.into())).send().await.unwrap();

    let of_ada = upload_once(&fixture, "k-1", "png").await;
    let of_ben = request("POST", "/users/ben/photos").by("ben").json(&json!({"format": "png"}));
    let of_ben = fixture.call(UploadPhoto::start, of_ben.header("idempotency-key", "k-1")).await;
    assert_eq!((of_ada.status, of_ben.status), (201, 201));
    assert_eq!((&of_ada.body["username"], &of_ben.body["username"]), (&json!("ada"), &json!("ben")));
}

#[tokio::test]
async fn a_lost_answer_with_an_idempotency_key_returns_201_once() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(upload_once(&fixture, "k-1", "png").await.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(fixture.all_items().await.len(), before + 1);

    // No attempt of the SDK gets an answer, so the client repeats its request.
    fixture.inject([Fault::AnswerLost; 5]);
    assert_eq!(upload_once(&fixture, "k-2", "png").await.status, 503);
    fixture.clear_faults();
    let repeated = upload_once(&fixture, "k-2", "png").await;
    assert_eq!(repeated.status, 200);
    assert!(!fixture.item(key(&repeated.body)).await.is_null());
    assert_eq!(fixture.all_items().await.len(), before + 2);
}

#[tokio::test]
async fn another_timestamp_and_a_conflict_keep_the_idempotency_key() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.inject([Fault::TransactionCanceled("TransactionConflict"), Fault::ConditionFailed("Put USER#")]);
    let first = upload_once(&fixture, "k-1", "png").await;
    assert_eq!((first.status, fixture.operations()), (201, vec!["TransactWriteItems".to_owned(); 3]));
    let again = upload_once(&fixture, "k-1", "png").await;
    assert_eq!((again.status, photo_of(&again.body)), (200, photo_of(&first.body)));
}

#[tokio::test]
async fn a_known_idempotency_key_is_no_answer_to_a_deleted_user_or_another_account() {
    let fixture = Fixture::new("upload-photo").await;
    let first = upload_once(&fixture, "k-1", "png").await;
    assert_eq!((first.status, upload_once(&fixture, "k-1", "webp").await.status), (201, 422));
    let before = fixture.all_items_of(FAVORITE).await;
    fixture.put(testing::with(user("ada"), "subject", "another account")).await;
    assert_eq!(upload_once(&fixture, "k-1", "png").await.status, 403);
    fixture.put(deletion("ada")).await;
    fixture.delete(key(&first.body)).await;
    for idempotency_key in ["k-1", "k-2"] {
        assert_eq!(upload_once(&fixture, idempotency_key, "png").await.status, 404);
    }
    assert_eq!(fixture.all_items_of(FAVORITE).await, before, "a request that creates nothing leaves no record");
}

#[tokio::test]
async fn refuses_a_bad_idempotency_key() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.refuses_field(UploadPhoto::start, post_once("a b", "png"), "idempotency-key").await;
}

#[tokio::test]
async fn a_repeated_idempotency_key_returns_the_photo_as_it_is_now() {
    let fixture = Fixture::new("upload-photo").await;
    let first = upload_once(&fixture, "k-1", "png").await;
    let id = first.body["id"].as_str().unwrap();
    fixture.put(photo_with("ada", id, ready(b"file"))).await;
    let again = upload_once(&fixture, "k-1", "png").await;
    assert_eq!((again.status, &again.body["status"]), (200, &json!("ready")));
    assert!(again.body["urls"][0]["url"].is_string());
    assert!(again.body.get("upload").is_none(), "the picture cannot be replaced");

    fixture.put(photo_with("ada", id, testing::rejected())).await;
    let again = upload_once(&fixture, "k-1", "png").await;
    assert_eq!(
        (&again.body["status"], &again.body["problem"]),
        (&json!("rejected"), &json!("tag:quick-photos.example,2026:picture-damaged"))
    );
    assert!(again.body.get("upload").is_none());
}

#[tokio::test]
async fn a_form_does_not_outlive_its_photo() {
    let fixture = Fixture::new("upload-photo").await;
    let first = upload_once(&fixture, "k-1", "png").await;
    let mut item = photo_with("ada", first.body["id"].as_str().unwrap(), Picture::Pending);
    let expiry = EpochMillis::now().seconds() + 60;
    item.insert("ttl".into(), N(expiry.to_string()));
    fixture.put(item).await;
    let again = upload_once(&fixture, "k-1", "png").await;
    let expires = Timestamp::from_epoch_millis((1000 * expiry).cast_signed()).unwrap();
    assert_eq!(again.body["upload"]["expires"], expires.as_ref());
}

#[tokio::test]
async fn a_photo_that_has_expired_counts_as_deleted() {
    let fixture = Fixture::new("upload-photo").await;
    let first = upload_once(&fixture, "k-1", "png").await;
    fixture.put(expired_photo("ada", first.body["id"].as_str().unwrap())).await;
    let again = upload_once(&fixture, "k-1", "png").await;
    assert_eq!((again.status, photo_of(&again.body)), (200, photo_of(&first.body)));
    assert!(again.body.get("upload").is_none(), "no file can come any more");
}
