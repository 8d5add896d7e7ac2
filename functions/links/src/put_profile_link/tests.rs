use super::*;
use serde_json::{Value, json};
use shared::entities::{Key, LINKS, MAX_LINKS};
use testing::{Fixture, TestRequest, link, request, user, with_count};

const PHOTO: &str = "2024-05-30T15:42:38";
const TOKEN: &str = "Zm9yLW9ubHktdGVzdGluZw";

fn put(body: &Value) -> TestRequest {
    request("PUT", "/users/ada/link").by("ada").json(body)
}

#[tokio::test]
async fn a_profile_has_a_link_beside_those_of_photos() {
    let fixture = Fixture::new("put-profile-link").await;
    fixture.put_all(link("ada", Some(PHOTO), TOKEN));
    let first = fixture.call(PutProfileLink::start, put(&json!({"indexed": true}))).await;
    assert_eq!(fixture.operations(), ["BatchGetItem", "TransactWriteItems"]);
    assert_eq!((first.status, &first.body["indexed"]), (201, &json!(true)));
    assert!(first.body.get("photo").is_none() && first.body["token"] != TOKEN);
    let target = fixture.item(Key::link_target(&first.body["token"].as_str().unwrap().parse().unwrap())).await;
    assert!(target["owner"] == "ada" && target.get("photo").is_none());
    let again = fixture.call(PutProfileLink::start, put(&json!({"indexed": true}))).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
    let of_photo = fixture.item(Key::link(&"ada".parse().unwrap(), Some(&PHOTO.parse().unwrap()))).await;
    assert_eq!(of_photo["token"], TOKEN);
}

#[tokio::test]
async fn the_link_changes_and_gets_another_token_on_request() {
    let fixture = Fixture::new("put-profile-link").await;
    fixture.put_all(link("ada", None, TOKEN));
    fixture.put(with_count(user("ada"), LINKS, 1)).await;
    let changed = fixture.call(PutProfileLink::start, put(&json!({"indexed": true}))).await;
    assert_eq!((changed.status, &changed.body["token"], &changed.body["indexed"]), (200, &json!(TOKEN), &json!(true)));
    let renewed = fixture.call(PutProfileLink::start, put(&json!({"renew": TOKEN}))).await;
    assert!(renewed.status == 200 && renewed.body["token"] != TOKEN);
    let targets: Vec<_> = fixture.all_items().await.into_keys().filter(|key| key.starts_with("SHARE#")).collect();
    assert!(targets.len() == 1 && !targets[0].contains(TOKEN), "{targets:?}");
    assert_eq!(fixture.item(Key::user(&"ada".parse().unwrap())).await[LINKS], 1);
}

#[tokio::test]
async fn a_user_has_a_maximum_of_links() {
    let fixture = Fixture::new("put-profile-link").await;
    fixture.put(with_count(user("ada"), LINKS, MAX_LINKS)).await;
    let answer = fixture.call(PutProfileLink::start, put(&json!({}))).await;
    assert_eq!((answer.status, answer.problem()), (409, "too-many-links"));
}

#[tokio::test]
async fn needs_a_profile() {
    let fixture = Fixture::new("put-profile-link").await;
    let of_nobody = request("PUT", "/users/nobody/link").by("nobody").json(&json!({}));
    let answer = fixture.call(PutProfileLink::start, of_nobody).await;
    assert_eq!((answer.status, answer.problem()), (404, "no-profile"));
}

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("put-profile-link").await;
    assert_eq!(fixture.call_with_sample_event(PutProfileLink::start).await.status, 201);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("put-profile-link").await;
    fixture.needs_a_caller(PutProfileLink::start, put(&json!({}))).await;
    fixture.refuses_other_users(PutProfileLink::start, put(&json!({}))).await;
    fixture.refuses_other_accounts(PutProfileLink::start).await;
    fixture.refuses_bad_bodies(PutProfileLink::start, put(&json!({}))).await;
    fixture.refuses_field(PutProfileLink::start, put(&json!({"renew": ""})), "renew").await;
}
