use super::*;
use serde_json::{Value, json};
use testing::{FEED, Fault, Fixture, Messages, TestRequest, deletion, request};

/// A table and the queue of write-export.
struct Setup {
    fixture: Fixture,
    messages: Messages,
}

impl Setup {
    async fn new() -> Self {
        let setup = Self { fixture: Fixture::new("create-export").await, messages: Messages::start() };
        setup.messages.connect(&setup.fixture);
        setup
    }

    async fn call(&self, request: TestRequest) -> testing::Answer {
        self.fixture.call(CreateExport::start, request).await
    }

    async fn export(&self, user: &str) -> Value {
        self.fixture.all_items_of(FEED).await.remove(&format!("Export#{user} Export")).unwrap_or_default()
    }

    async fn put(&self, export: &Export) {
        self.fixture.put_in(FEED, entity::to_item(Key::export(&"ada".parse().unwrap()), export).unwrap()).await;
    }

    /// Returns the bodies of the messages that were sent.
    async fn sent(&self) -> Vec<Value> {
        let sent = self.messages.take().await;
        assert!(sent.iter().all(|(queue, _)| queue == "ExportsQueue"));
        sent.into_iter().map(|(_, body)| body).collect()
    }
}

fn post(user: &str) -> TestRequest {
    request("POST", format!("/users/{user}/exports")).by(user)
}

#[tokio::test]
async fn answers_the_sample_event() {
    let setup = Setup::new().await;
    let answer = setup.fixture.call_with_sample_event(CreateExport::start).await;
    assert_eq!((answer.status, &answer.body["state"]), (201, &json!("queued")));
    let id = answer.body["id"].as_str().unwrap();
    assert_eq!(answer.headers["location"], format!("/users/ada/exports/{id}"));
    assert_eq!(setup.export("ada").await["id"], id);
    assert_eq!(setup.fixture.operations(), ["TransactWriteItems"]);
    assert_eq!(setup.sent().await, [json!({"username": "ada", "id": id, "claimed": 0})]);
}

#[tokio::test]
async fn there_is_one_export_at_a_time_and_one_a_day() {
    let setup = Setup::new().await;
    let first = setup.call(post("ada")).await;
    assert_eq!(first.status, 201);
    let again = setup.call(post("ada")).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(setup.sent().await.len(), 2, "the first message may have been lost");
    assert_eq!(setup.call(post("cara")).await.status, 201, "that of another user");
    let _ = setup.sent().await;

    let stored: Export = serde_json::from_value(setup.export("ada").await).unwrap();
    for (state, number_of_messages) in [(ExportState::Running, 0), (ExportState::Ready, 0)] {
        setup.put(&Export { state, claimed: 5, ..stored.clone() }).await;
        let answer = setup.call(post("ada")).await;
        assert_eq!((answer.status, &answer.body["state"]), (200, &json!(state)));
        assert_eq!(setup.sent().await.len(), number_of_messages, "{state}");
    }
    for over in [
        Export { state: ExportState::Failed, ..stored.clone() },
        Export { subject: "another account".parse().unwrap(), ..stored.clone() },
        Export { state: ExportState::Ready, ttl: EpochMillis::now().seconds() - 1, ..stored.clone() },
    ] {
        setup.put(&over).await;
        let answer = setup.call(post("ada")).await;
        assert_eq!((answer.status, &answer.body["state"]), (201, &json!("queued")));
        assert_ne!(answer.body["id"], json!(stored.id));
    }
}

#[tokio::test]
async fn work_that_has_stopped_gets_another_message() {
    let setup = Setup::new().await;
    let export = Export {
        state: ExportState::Running,
        updated: "2026-01-01T00:00:00.000Z".parse().unwrap(),
        claimed: 7,
        ..Export::new("ada".parse().unwrap())
    };
    setup.put(&export).await;
    assert_eq!(setup.call(post("ada")).await.status, 200);
    assert_eq!(setup.sent().await, [json!({"username": "ada", "id": export.id, "claimed": 7})]);
}

#[tokio::test]
async fn a_message_that_is_not_sent_is_sent_by_the_next_request() {
    let setup = Setup::new().await;
    let nowhere = |process: &Process| {
        let url = "https://sqs.eu-west-1.amazonaws.com/1/Nowhere".to_owned();
        Ok(CreateExport { queue: Queue::new(&process.configuration("SQS")?, url), ..CreateExport::start(process)? })
    };
    assert_eq!(setup.fixture.call(nowhere, post("ada")).await.status, 500);
    assert_eq!(setup.export("ada").await["state"], "queued");
    assert_eq!(setup.call(post("ada")).await.status, 200);
    assert_eq!(setup.sent().await.len(), 1);
}

#[tokio::test]
async fn a_lost_answer_changes_nothing() {
    let setup = Setup::new().await;
    setup.fixture.inject([Fault::AnswerLost]);
    assert_eq!(setup.call(post("ada")).await.status, 201);
    assert_eq!(setup.sent().await.len(), 1);
}

/// Favorites need no profile.
#[tokio::test]
async fn an_account_without_a_profile_has_data_too() {
    let setup = Setup::new().await;
    assert_eq!(setup.call(post("dora")).await.status, 201);
    assert_eq!(setup.sent().await.len(), 1);
}

#[tokio::test]
async fn refuses_a_deleted_user_and_another_account() {
    let setup = Setup::new().await;
    setup.fixture.put(deletion("emil")).await;
    assert_eq!(setup.call(post("emil")).await.status, 404);
    setup.fixture.put(testing::with(testing::user("dora"), "subject", "another")).await;
    assert_eq!(setup.call(post("dora")).await.status, 403);
    assert_eq!((setup.export("emil").await, setup.export("dora").await), (Value::Null, Value::Null));
    assert!(setup.sent().await.is_empty());
}

#[tokio::test]
async fn refuses_bad_input_and_other_callers() {
    let setup = Setup::new().await;
    let good = |user: &str| request("POST", format!("/users/{user}/exports")).by("ada");
    setup.fixture.needs_a_caller(CreateExport::start, good("ada")).await;
    setup.fixture.refuses_other_users(CreateExport::start, good("ada")).await;
    setup.fixture.refuses_bad_usernames(CreateExport::start, "username", good).await;
    setup.fixture.refuses_field(CreateExport::start, post("ada").json(&json!({"all": true})), "all").await;
    setup.fixture.refuses_bad_bodies(CreateExport::start, post("ada")).await;
    assert!(setup.sent().await.is_empty());
}
