use super::*;
use serde_json::{Value, json};
use shared::entities::{Key, LINKS, MAX_LINKS};
use shared::values::{EpochMillis, Timestamp};
use testing::{Fault, Fixture, TestRequest, link, link_until, photo, request, user, with_count};

const PHOTO: &str = "2024-05-30T15:42:38";
const OTHER_PHOTO: &str = "2024-06-09T13:49:13";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";
const OTHER_TOKEN: &str = "YW5vdGhlci10b2tlbi4uLg";

fn put(photo: &str, body: &Value) -> TestRequest {
    request("PUT", format!("/users/ada/photos/{photo}/link")).by("ada").json(body)
}

fn in_seconds(seconds: i64) -> String {
    let now = i64::try_from(EpochMillis::now().seconds()).unwrap();
    Timestamp::from_epoch_millis((now + seconds) * 1000).unwrap().to_string()
}

async fn stored(fixture: &Fixture, photo: &str) -> Value {
    fixture.item(Key::link(&"ada".parse().unwrap(), Some(&photo.parse().unwrap()))).await
}

async fn target(fixture: &Fixture, token: &str) -> Value {
    fixture.item(Key::link_target(&token.parse().unwrap())).await
}

async fn count(fixture: &Fixture) -> Value {
    fixture.item(Key::user(&"ada".parse().unwrap())).await[LINKS].clone()
}

#[tokio::test]
async fn each_photo_gets_one_link_with_a_token_of_its_own() {
    let fixture = Fixture::new("put-link").await;
    let first = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
    let token = first.body["token"].as_str().unwrap();
    let expected = json!({
        "url": format!("https://links.example/s/{token}"), "token": token, "username": "ada",
        "photo": {"username": "ada", "id": PHOTO}, "created": first.body["created"], "opensTo": "anyone",
    });
    assert_eq!((first.status, &first.body), (201, &expected));
    assert_eq!(target(&fixture, token).await["owner"], "ada");
    assert_eq!(stored(&fixture, PHOTO).await["token"], token);

    let again = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    assert_eq!((again.status, &again.body), (200, &expected));
    assert_eq!(fixture.operations(), ["BatchGetItem"], "a repetition writes nothing");
    let other = fixture.call(PutLink::start, put(OTHER_PHOTO, &json!({}))).await;
    assert_ne!(other.body["token"], token);
    assert_eq!(count(&fixture).await, 2);
}

#[tokio::test]
async fn a_put_replaces_the_settings_and_keeps_the_address() {
    let fixture = Fixture::new("put-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put_all(link("ada", Some(OTHER_PHOTO), OTHER_TOKEN));
    let before = stored(&fixture, OTHER_PHOTO).await;
    let until = in_seconds(3600);
    let changed = fixture.call(PutLink::start, put(PHOTO, &json!({"until": until, "indexed": true}))).await;
    assert_eq!((changed.status, &changed.body["until"], &changed.body["indexed"]), (200, &json!(until), &json!(true)));
    assert_eq!(changed.body["token"], TOKEN);
    let opened = target(&fixture, TOKEN).await;
    assert_eq!(
        (&opened["indexed"], &opened["ttl"]),
        (&json!(true), &json!(until.parse::<Timestamp>().unwrap().seconds()))
    );

    let cleared = fixture.call(PutLink::start, put(PHOTO, &json!({"until": null}))).await;
    assert!(cleared.status == 200 && cleared.body.get("until").is_none() && cleared.body.get("indexed").is_none());
    assert!(target(&fixture, TOKEN).await.get("ttl").is_none());
    assert_eq!(stored(&fixture, OTHER_PHOTO).await, before);
}

#[tokio::test]
async fn renew_replaces_the_token_once() {
    let fixture = Fixture::new("put-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    fixture.put(with_count(user("ada"), LINKS, 1)).await;
    let renew = || put(PHOTO, &json!({"renew": TOKEN}));
    let renewed = fixture.call(PutLink::start, renew()).await;
    let token = renewed.body["token"].as_str().unwrap();
    assert!(renewed.status == 200 && token != TOKEN);
    assert!(target(&fixture, TOKEN).await.is_null() && target(&fixture, token).await.is_object());
    let again = fixture.call(PutLink::start, renew()).await;
    assert_eq!(again.body, renewed.body, "a repetition renews nothing");
    assert_eq!(count(&fixture).await, 1);
}

/// Two requests renew the link at once: the one that writes later reads again, and finds another token.
#[tokio::test]
async fn concurrent_requests_leave_one_target() {
    let fixture = Fixture::new("put-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    let old = link("ada", Some(PHOTO), TOKEN).pop().unwrap();
    fixture.write_concurrently(1, link("ada", Some(PHOTO), OTHER_TOKEN), vec![old]);
    let answer = fixture.call(PutLink::start, put(PHOTO, &json!({"renew": TOKEN}))).await;
    assert_eq!((answer.status, &answer.body["token"]), (200, &json!(OTHER_TOKEN)));
    assert_eq!(stored(&fixture, PHOTO).await["token"], OTHER_TOKEN);
    let targets = fixture.all_items().await.into_keys().filter(|key| key.starts_with("SHARE#")).count();
    assert_eq!(targets, 1);
}

#[tokio::test]
async fn a_link_that_has_ended_gets_another_token() {
    let fixture = Fixture::new("put-link").await;
    fixture.put_all(link_until("ada", Some(PHOTO), TOKEN, Some(in_seconds(-5).parse().unwrap())));
    fixture.put(with_count(user("ada"), LINKS, 1)).await;
    let answer = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    assert!(answer.status == 201 && answer.body["token"] != TOKEN);
    assert!(target(&fixture, TOKEN).await.is_null());
    assert_eq!(count(&fixture).await, 1);
}

#[tokio::test]
async fn a_lost_answer_makes_no_second_link() {
    let fixture = Fixture::new("put-link").await;
    fixture.inject([Fault::None, Fault::AnswerLost]);
    let _ = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    let answer = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    assert_eq!(answer.body["token"], stored(&fixture, PHOTO).await["token"]);
    assert_eq!(count(&fixture).await, 1);
}

#[tokio::test]
async fn a_photo_that_is_gone_gets_no_link() {
    let fixture = Fixture::new("put-link").await;
    let answer = fixture.call(PutLink::start, put("2020-01-01T00:00:00", &json!({}))).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-photo"));
    // It is deleted between the read and the write.
    fixture.write_concurrently(1, vec![], vec![photo("ada", PHOTO)]);
    let answer = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-photo"));
    assert!(stored(&fixture, PHOTO).await.is_null() && count(&fixture).await.is_null());
}

#[tokio::test]
async fn a_user_has_a_maximum_of_links() {
    let fixture = Fixture::new("put-link").await;
    fixture.put_all(link("ada", Some(OTHER_PHOTO), OTHER_TOKEN));
    fixture.put(with_count(user("ada"), LINKS, MAX_LINKS)).await;
    let answer = fixture.call(PutLink::start, put(PHOTO, &json!({}))).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-links"));
    let existing = fixture.call(PutLink::start, put(OTHER_PHOTO, &json!({"indexed": true}))).await;
    assert_eq!(existing.status, 200, "a change needs no room");
    fixture.put(with_count(user("ada"), LINKS, MAX_LINKS - 1)).await;
    assert_eq!(fixture.call(PutLink::start, put(PHOTO, &json!({}))).await.status, 201);
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("put-link").await;
    assert_eq!(fixture.call_with_sample_event(PutLink::start).await.status, 201);
}

#[tokio::test]
async fn only_the_owner_makes_a_link() {
    let fixture = Fixture::new("put-link").await;
    fixture.needs_a_caller(PutLink::start, put(PHOTO, &json!({}))).await;
    fixture.refuses_other_users(PutLink::start, put(PHOTO, &json!({}))).await;
    fixture.refuses_other_accounts(PutLink::start).await;
}

#[tokio::test]
async fn refuses_bad_input() {
    let fixture = Fixture::new("put-link").await;
    fixture.refuses_bad_bodies(PutLink::start, put(PHOTO, &json!({}))).await;
    fixture.refuses_bad_photo_ids(PutLink::start, |id| put(id, &json!({}))).await;
    let year = 366 * 24 * 60 * 60;
    for (field, bad) in [
        ("until", json!(in_seconds(0))),
        ("until", json!(in_seconds(year + 60))),
        ("until", json!("2024-05-30")),
        ("until", json!(5)),
        ("indexed", json!("yes")),
        ("renew", json!("guess")),
    ] {
        fixture.refuses_field(PutLink::start, put(PHOTO, &json!({field: bad})), field).await;
    }
}
