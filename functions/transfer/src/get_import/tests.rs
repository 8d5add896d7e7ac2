use super::*;
use serde_json::json;
use shared::values::ImportState;
use testing::{FEED, Fixture, request};

/// The import of ben in the seed data.
const ID: &str = "01942205-9b21-7d4f-8a63-7c2e1d8f5ba4";

#[tokio::test]
async fn answers_the_sample_event() {
    let fixture = Fixture::new("get-import").await;
    let answer = fixture.call_with_sample_event(GetImport::start).await;
    let expected = json!({
        "id": ID, "state": "waiting", "created": "2024-07-20T06:30:00.000Z", "expires": "2100-01-01T00:00:00.000Z",
        "photos": 0, "favorites": 0, "tags": 0, "leftOut": 0, "reasons": [],
    });
    assert_eq!((answer.status, answer.body), (200, expected));
    assert_eq!(fixture.operations(), ["GetItem"]);
}

#[tokio::test]
async fn shows_what_was_left_out_and_why() {
    let fixture = Fixture::new("get-import").await;
    let mut import = Import::new("ada".parse().unwrap());
    import.state = ImportState::Done;
    for number in 0..60 {
        import.leave_out(format!("photo {number}"), "it has no picture");
    }
    fixture.put(entity::to_item(Key::import(&"ada".parse().unwrap()), &import).unwrap()).await;
    let path = format!("/users/ada/imports/{}", import.id);
    let body = fixture.call(GetImport::start, request("GET", &path).by("ada")).await.body;
    assert_eq!((&body["state"], &body["leftOut"]), (&json!("done"), &json!(60)));
    assert_eq!(body["reasons"].as_array().unwrap().len(), 50);
    assert_eq!(body["reasons"][0], json!({"what": "photo 0", "reason": "it has no picture"}));
    let other = request("GET", format!("/users/ada/imports/{ID}")).by("ada");
    assert_eq!(fixture.call(GetImport::start, other).await.status, 404);
    fixture.set_ttl(FEED, Key::import(&"ada".parse().unwrap()), 1).await;
    assert_eq!(fixture.call(GetImport::start, request("GET", &path).by("ada")).await.status, 404);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("get-import").await;
    let good = |user: &str| request("GET", format!("/users/{user}/imports/{ID}")).by("ada");
    fixture.needs_a_caller(GetImport::start, good("ada")).await;
    fixture.refuses_other_users(GetImport::start, good("ada")).await;
    fixture.refuses_bad_usernames(GetImport::start, "username", good).await;
    fixture.refuses_field(GetImport::start, request("GET", "/users/ada/imports/x").by("ada"), "id").await;
}

#[tokio::test]
async fn another_account_that_has_the_name_does_not_see_it() {
    let fixture = Fixture::new("get-import").await;
    let import = Import::new("another account".parse().unwrap());
    fixture.put(entity::to_item(Key::import(&"ada".parse().unwrap()), &import).unwrap()).await;
    let request = request("GET", format!("/users/ada/imports/{}", import.id)).by("ada");
    assert_eq!(fixture.call(GetImport::start, request).await.status, 404);
}
