use super::*;
use aws_sdk_dynamodb::types::AttributeValue::N;
use serde_json::{Value, json};
use shared::entities::{Key, Picture};
use shared::values::EpochMillis;
use testing::{Fault, Fixture, TestRequest, deletion, request, user};

mod idempotency;
mod pictures;

fn post(body: &Value) -> TestRequest {
    request("POST", "/users/ada/photos").by("ada").json(body)
}

fn key(photo: &Value) -> Key {
    Key::photo(&"ada".parse().unwrap(), &photo["id"].as_str().unwrap().parse().unwrap())
}

#[tokio::test]
async fn creates_a_pending_photo_with_the_current_timestamp() {
    let fixture = Fixture::new("upload-photo").await;
    let (before, begin) = (Timestamp::now(), EpochMillis::now().seconds());
    let answer = fixture.call(UploadPhoto::start, post(&json!({"format": "webp"}))).await;
    assert_eq!(answer.status, 201);
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    let id = answer.body["id"].as_str().unwrap();
    assert!(before.as_ref() <= id && id <= Timestamp::now().as_ref());
    assert_eq!(answer.headers["location"], format!("/users/ada/photos/{id}").as_str());
    let mut body = answer.body.clone();
    let upload = body.as_object_mut().unwrap().remove("upload").unwrap();
    let location = format!("s3://{}/photos/ada/{id}", fixture.bucket());
    let reactions = testing::counts(&[]);
    let (username, status) = ("ada", "pending");
    assert_eq!(
        body,
        json!({"username": username, "id": id, "timestamp": id, "status": status, "reactions": reactions, "comments": 0})
    );
    assert_eq!(upload["fields"]["key"], format!("incoming/ada/{id}"));
    assert_eq!(upload["fields"]["Content-Type"], "image/webp");

    let item = fixture.item(key(&body)).await;
    let ttl = item["ttl"].as_u64().unwrap();
    assert!((begin + 86_400..=EpochMillis::now().seconds() + 86_400).contains(&ttl), "a day from now: {ttl}");
    assert_eq!(
        item,
        json!({
            "PK": "USER#ada", "SK": format!("PHOTO#ada#{id}"), "username": username, "timestamp": id,
            "location": location, "picture": {"status": status}, "reactions": reactions, "comments": 0,
            "ttl": ttl, "unready": true,
        })
    );
}

#[tokio::test]
async fn a_client_that_announces_the_file_gets_a_request() {
    let fixture = Fixture::new("upload-photo").await;
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let body = json!({"format": "jpeg", "upload": "put", "bytes": 3, "sha256": sha256});
    let answer = fixture.call(UploadPhoto::start, post(&body)).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let upload = &answer.body["upload"];
    assert_eq!(upload["method"], "PUT");
    let checksum = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    assert_eq!(upload["headers"], json!({"Content-Type": "image/jpeg", "x-amz-checksum-sha256": checksum}));
    let url = upload["url"].as_str().unwrap();
    assert!(url.contains("/incoming/ada/20") && url.contains("X-Amz-Expires=900"), "{url}");
    assert!(upload["expires"].is_string() && upload.get("fields").is_none());
    assert_eq!(fixture.item(key(&answer.body)).await["picture"], json!({"status": "pending"}));
    assert_eq!(fixture.operations(), ["TransactWriteItems", "GetItem"][..1]);
}

#[tokio::test]
async fn refuses_half_of_an_announcement() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await;
    let sha256 = "00".repeat(32);
    for (body, field) in [
        (json!({"upload": "put", "sha256": sha256}), "bytes"),
        (json!({"upload": "put", "bytes": 3}), "sha256"),
        (json!({"bytes": 3}), "bytes"),
        (json!({"upload": "form", "sha256": sha256}), "sha256"),
        (json!({"upload": "put", "bytes": 0, "sha256": sha256}), "bytes"),
        (json!({"upload": "put", "bytes": 20_971_521, "sha256": sha256}), "bytes"),
        (json!({"upload": "put", "bytes": "3", "sha256": sha256}), "bytes"),
        (json!({"upload": "put", "bytes": 3, "sha256": "AA".repeat(32)}), "sha256"),
        (json!({"upload": "patch"}), "upload"),
    ] {
        fixture.refuses_field(UploadPhoto::start, post(&body), field).await;
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn a_photo_can_have_a_caption_and_a_description() {
    let fixture = Fixture::new("upload-photo").await;
    let texts = json!({"caption": "Two\nlines", "altText": "A pier"});
    for (body, caption, alt_text) in [
        (texts.clone(), Some("Two\nlines"), Some("A pier")),
        (json!({"caption": "x", "altText": null}), Some("x"), None),
        (json!({"caption": "", "altText": "A pier"}), None, Some("A pier")),
    ] {
        let answer = fixture.call(UploadPhoto::start, post(&body)).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let item = fixture.item(key(&answer.body)).await;
        for shown in [&answer.body, &item] {
            assert_eq!((shown["caption"].as_str(), shown["altText"].as_str()), (caption, alt_text));
            assert!(shown.get("edited").is_none());
        }
    }
    for (name, max) in [("caption", 1000), ("altText", 500)] {
        for text in [json!(" "), json!("\n"), json!("x".repeat(max + 1)), json!(1)] {
            fixture.refuses_field(UploadPhoto::start, post(&json!({ (name): text })), name).await;
        }
    }
}

#[tokio::test]
async fn the_format_and_the_body_are_optional() {
    let fixture = Fixture::new("upload-photo").await;
    for request in [post(&json!({})), post(&json!({"format": null})), request("POST", "/users/ada/photos").by("ada")] {
        let answer = fixture.call(UploadPhoto::start, request).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(answer.body["upload"]["fields"]["Content-Type"], "image/png");
    }
}

#[tokio::test]
async fn the_sample_event_creates_another_photo_each_time() {
    let fixture = Fixture::new("upload-photo").await;
    let first = fixture.call_with_sample_event(UploadPhoto::start).await;
    let second = fixture.call_with_sample_event(UploadPhoto::start).await;
    assert_eq!((first.status, second.status), (201, 201));
    assert_ne!(first.body["id"], second.body["id"]);
}

#[tokio::test]
async fn a_retry_after_a_lost_answer_creates_one_photo() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await.len();
    fixture.inject([Fault::AnswerLost]);
    let answer = fixture.call(UploadPhoto::start, post(&json!({}))).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; 2]);
    assert_eq!(fixture.all_items().await.len(), before + 1);
    assert!(!fixture.item(key(&answer.body)).await.is_null());
}

#[tokio::test]
async fn uploads_in_the_same_millisecond_create_separate_photos() {
    let fixture = std::sync::Arc::new(Fixture::new("upload-photo").await);
    let before = fixture.all_items().await.len();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..40 {
        let fixture = fixture.clone();
        calls.spawn(async move { fixture.call(UploadPhoto::start, post(&json!({}))).await.status });
    }
    assert_eq!(calls.join_all().await, [201; 40]);
    assert_eq!(fixture.all_items().await.len(), before + 40);
}

#[tokio::test]
async fn returns_503_when_the_retry_budget_is_used_up() {
    let fixture = Fixture::new("upload-photo").await;
    let before = fixture.all_items().await;
    let taken = Fault::ConditionFailed("Put USER#");
    fixture.inject([taken; MAX_ATTEMPTS]);
    let answer = fixture.call(UploadPhoto::start, post(&json!({}))).await;
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(fixture.operations(), ["TransactWriteItems"; MAX_ATTEMPTS]);
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_the_photos_of_the_user_up_to_the_maximum() {
    let fixture = Fixture::new("upload-photo").await;
    let ada = async || fixture.item(Key::user(&"ada".parse().unwrap())).await;
    assert_eq!(fixture.call(UploadPhoto::start, post(&json!({}))).await.status, 201);
    let counts = ada().await;
    assert_eq!((&counts["photos"], &counts["uploads"]), (&json!(2), &json!(3)), "the photo is pending");

    let mut ada = user("ada");
    ada.insert("uploads".into(), N((MAX_PHOTOS - 1).to_string()));
    fixture.put(ada).await;
    let with_key = |key: &str| post(&json!({})).header("idempotency-key", key);
    assert_eq!(fixture.call(UploadPhoto::start, with_key("last")).await.status, 201);
    let before = fixture.all_items().await;
    let answer = fixture.call(UploadPhoto::start, post(&json!({}))).await;
    let detail = json!("You have reached the maximum of 100000 photos. Delete a photo first.");
    assert_eq!((answer.problem(), &answer.body["detail"]), ("too-many-photos", &detail));
    assert_eq!(fixture.call(UploadPhoto::start, with_key("another")).await.status, 409);
    assert_eq!(fixture.call(UploadPhoto::start, with_key("last")).await.status, 200, "a repetition");
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn counts_for_a_user_without_a_count() {
    let fixture = Fixture::new("upload-photo").await;
    let mut ada = user("ada");
    ada.remove("uploads");
    fixture.put(ada).await;
    assert_eq!(fixture.call(UploadPhoto::start, post(&json!({}))).await.status, 201);
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await["uploads"], 1);
}

#[tokio::test]
async fn returns_404_for_an_unknown_or_deleted_user() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.put(deletion("ada")).await;
    let before = fixture.all_items().await;
    for name in ["nobody", "ada"] {
        let answer = fixture.call(UploadPhoto::start, request("POST", format!("/users/{name}/photos")).by(name)).await;
        assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
    }
    assert_eq!(fixture.all_items().await, before);
}

#[tokio::test]
async fn refuses_other_callers() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.needs_a_caller(UploadPhoto::start, post(&json!({}))).await;
    fixture.refuses(UploadPhoto::start, post(&json!({})).by("ben"), 403).await;
    fixture.refuses_other_accounts(UploadPhoto::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("upload-photo").await;
    fixture.refuses_bad_bodies(UploadPhoto::start, request("POST", "/users/ada/photos").by("ada")).await;
    fixture
        .refuses_bad_usernames(UploadPhoto::start, "username", |name| request("POST", format!("/users/{name}/photos")))
        .await;
    for format in [json!("gif"), json!("heic"), json!("PNG"), json!(""), json!(1), json!(["png"]), json!({"png": null})]
    {
        fixture.refuses_field(UploadPhoto::start, post(&json!({ "format": format })), "format").await;
    }
    fixture.refuses_field(UploadPhoto::start, post(&json!({"id": "2024-05-30T15:42:38"})), "id").await;
}

#[tokio::test]
async fn a_photo_has_the_audience_of_the_request_or_of_the_profile() {
    let fixture = Fixture::new("upload-photo").await;
    for (of_profile, of_request, audience, requests) in [
        (None, None, None, 1),
        (None, Some("me"), Some("me"), 1),
        (None, Some("everyone"), None, 1),
        (Some("followers"), None, Some("followers"), 2),
        (Some("me"), None, Some("me"), 2),
        (Some("me"), Some("followers"), Some("followers"), 1),
        (Some("me"), Some("everyone"), None, 1),
    ] {
        let ada = user("ada");
        let ada = of_profile.map_or(ada.clone(), |audience| testing::with(ada, "defaultAudience", audience));
        fixture.put(ada).await;
        let answer = fixture.call(UploadPhoto::start, post(&json!({"audience": of_request}))).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let item = fixture.item(key(&answer.body)).await;
        let found = [&answer.body, &item].map(|photo| photo["audience"].as_str());
        assert_eq!(found, [audience; 2], "{of_profile:?} {of_request:?}");
        assert_eq!(fixture.operations(), vec!["TransactWriteItems"; requests]);
    }
    fixture.refuses_field(UploadPhoto::start, post(&json!({"audience": "friends"})), "audience").await;
}

#[tokio::test]
async fn the_maximum_counts_for_a_user_with_a_default_audience_too() {
    let fixture = Fixture::new("upload-photo").await;
    let ada = testing::with_count(testing::with(user("ada"), "defaultAudience", "me"), "uploads", MAX_PHOTOS);
    fixture.put(ada).await;
    assert_eq!(fixture.call(UploadPhoto::start, post(&json!({}))).await.status, 409);
}

#[tokio::test]
async fn a_photo_can_be_sensitive() {
    let fixture = Fixture::new("upload-photo").await;
    for reason in [None, Some("nudity"), Some("violence"), Some("medical"), Some("spoiler"), Some("other")] {
        let answer = fixture.call(UploadPhoto::start, post(&json!({"sensitive": reason}))).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(answer.body.get("sensitive"), reason.map(|it| json!({"reason": it, "by": "owner"})).as_ref());
        let item = fixture.item(key(&answer.body)).await;
        assert_eq!((item["sensitive"].as_str(), item.get("sensitiveBy")), (reason, None));
    }
    for bad in [json!("Nudity"), json!("ugly"), json!(true), json!({"reason": "nudity"})] {
        fixture.refuses_field(UploadPhoto::start, post(&json!({"sensitive": bad})), "sensitive").await;
    }
    // A repetition answers with the mark.
    let keyed = || post(&json!({"sensitive": "spoiler"})).header("idempotency-key", "one");
    let [first, second] =
        [fixture.call(UploadPhoto::start, keyed()).await, fixture.call(UploadPhoto::start, keyed()).await];
    assert_eq!((first.status, second.status, &first.body["sensitive"]), (201, 200, &second.body["sensitive"]));
}
