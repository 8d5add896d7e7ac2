use super::*;
use serde_json::{Value, json};
use shared::entities::ImportWork;
use testing::{FEED, Fault, Fixture, deletion, request};

fn post(user: &str) -> testing::TestRequest {
    request("POST", format!("/users/{user}/imports")).by(user)
}

async fn stored(fixture: &Fixture, user: &str) -> Value {
    fixture.all_items_of(FEED).await.remove(&format!("Import#{user} Import")).unwrap_or_default()
}

async fn put_import(fixture: &Fixture, import: &Import) {
    fixture.put_in(FEED, entity::to_item(Key::import(&"ada".parse().unwrap()), import).unwrap()).await;
}

#[tokio::test]
async fn answers_the_sample_event_with_a_form() {
    let fixture = Fixture::new("create-import").await;
    let answer = fixture.call_with_sample_event(CreateImport::start).await;
    assert_eq!((answer.status, &answer.body["state"]), (201, &json!("waiting")));
    let id = answer.body["id"].as_str().unwrap();
    assert_eq!(answer.headers["location"], format!("/users/ada/imports/{id}"));
    let fields = &answer.body["upload"]["fields"];
    assert_eq!(
        (&fields["key"], &fields["Content-Type"]),
        (&json!(format!("imports/ada/{id}.zip")), &json!("application/zip"))
    );
    assert_eq!(fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(stored(&fixture, "ada").await["subject"], "6a1f0c58-3b7e-4d52-9a64-0f8f5c2e7b31");
}

#[tokio::test]
async fn there_is_one_import_at_a_time_and_one_a_day() {
    let fixture = Fixture::new("create-import").await;
    let first = fixture.call(CreateImport::start, post("ada")).await;
    let again = fixture.call(CreateImport::start, post("ada")).await;
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(again.body["id"], first.body["id"]);
    assert!(again.body["upload"].is_object(), "the file has not come");
    let import: Import = serde_json::from_value(stored(&fixture, "ada").await).unwrap();
    for state in [ImportState::Running, ImportState::Done] {
        put_import(&fixture, &Import { state, ..import.clone() }).await;
        let answer = fixture.call(CreateImport::start, post("ada")).await;
        assert_eq!((answer.status, &answer.body["state"], &answer.body["upload"]), (200, &json!(state), &Value::Null));
    }
    // It has made something, and counts for its day.
    let work = ImportWork { writes: 1, ..ImportWork::default() };
    put_import(&fixture, &Import { state: ImportState::Failed, work, ..import.clone() }).await;
    let answer = fixture.call(CreateImport::start, post("ada")).await;
    assert_eq!((answer.status, &answer.body["state"]), (200, &json!("failed")));
    for over in [
        Import { state: ImportState::Failed, ..import.clone() },
        Import { subject: "another account".parse().unwrap(), ..import.clone() },
        Import { state: ImportState::Done, ttl: EpochMillis::now().seconds() - 1, ..import.clone() },
    ] {
        put_import(&fixture, &over).await;
        let answer = fixture.call(CreateImport::start, post("ada")).await;
        assert_eq!(answer.status, 201);
        assert_ne!(answer.body["id"], json!(import.id));
    }
}

#[tokio::test]
async fn a_lost_answer_changes_nothing() {
    let fixture = Fixture::new("create-import").await;
    fixture.inject([Fault::AnswerLost]);
    assert_eq!(fixture.call(CreateImport::start, post("ada")).await.status, 201);
}

#[tokio::test]
async fn refuses_a_user_who_does_not_exist_and_another_account() {
    let fixture = Fixture::new("create-import").await;
    fixture.put(deletion("emil")).await;
    for user in ["dora", "emil"] {
        assert_eq!(fixture.call(CreateImport::start, post(user)).await.status, 404, "{user}");
    }
    fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    assert_eq!(fixture.call(CreateImport::start, post("dora")).await.status, 403);
    assert_eq!(stored(&fixture, "dora").await, Value::Null);
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let fixture = Fixture::new("create-import").await;
    let good = |user: &str| request("POST", format!("/users/{user}/imports")).by("ada");
    fixture.needs_a_caller(CreateImport::start, good("ada")).await;
    fixture.refuses_other_users(CreateImport::start, good("ada")).await;
    fixture.refuses_bad_usernames(CreateImport::start, "username", good).await;
    fixture.refuses_field(CreateImport::start, post("ada").json(&json!({"all": true})), "all").await;
    fixture.refuses_bad_bodies(CreateImport::start, post("ada")).await;
}
