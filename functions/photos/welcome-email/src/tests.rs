use super::*;
use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use shared::dynamodb::Item;
use shared::model::photos::Key;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use testing::{Fault, Fixture, deletion, user};
use tokio::net::TcpListener;

/// The answer of the fake SES to one request.
#[derive(Debug, Clone, Copy)]
enum SesAnswer {
    Accept,
    /// Accepts the e-mail and breaks the connection before the answer.
    AcceptAndDisconnect,
    /// Rejects the e-mail with this status and code.
    Reject(u16, &'static str),
}
use SesAnswer::{Accept, AcceptAndDisconnect, Reject};

/// A fixture with a fake SES.
struct EmailFixture {
    dynamodb: Fixture,
    mail: Mail,
    ses: Arc<Mutex<FakeSes>>,
}

#[derive(Default)]
struct FakeSes {
    answers: VecDeque<SesAnswer>,
    requests: usize,
    accepted: Vec<Value>,
}

impl EmailFixture {
    async fn new() -> Self {
        let ses = Arc::new(Mutex::new(FakeSes::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let fake_ses = ses.clone();
        let router = axum::Router::new().route(
            "/v2/email/outbound-emails",
            post(async move |Json(email): Json<Value>| fake_ses.lock().unwrap().receive(email)),
        );
        tokio::spawn(async move { axum::serve(listener, router).await });
        let config = shared::runtime::client::config(shared::runtime::https::from_environment().unwrap())
            .into_builder()
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::new("test", "test", None, None, "test")))
            .endpoint_url(endpoint);
        let mail = Mail::new(&config.build(), "Quick Photos <hello@example.com>".into());
        Self { dynamodb: Fixture::new("welcome-email").await, mail, ses }
    }

    /// Creates a fixture whose table contains these users.
    async fn with(users: &[&Item]) -> Self {
        let fixture = Self::new().await;
        for user in users {
            fixture.dynamodb.put((*user).clone()).await;
        }
        fixture
    }

    /// Sets the answers of SES to its next requests. It accepts every request after them.
    fn answer_with(&self, answers: impl IntoIterator<Item = SesAnswer>) {
        self.ses.lock().unwrap().answers = answers.into_iter().collect();
    }

    /// Delivers a batch to the function and returns the sequence numbers of the records that failed.
    async fn deliver(&self, records: &[Value]) -> Vec<String> {
        let handler = |table, record| welcome_email(&self.mail, table, record);
        self.dynamodb.deliver(handler, json!({ "Records": records })).await
    }

    /// Returns the addresses of the e-mails that SES has accepted since the last call.
    fn sent_to(&self) -> Vec<String> {
        let accepted = std::mem::take(&mut self.ses.lock().unwrap().accepted);
        accepted.iter().map(|email| email["Destination"]["ToAddresses"][0].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the attribute `welcome` of a user.
    async fn welcome(&self, username: &str) -> Value {
        self.dynamodb.item(Key::user(&username.parse().unwrap())).await["welcome"].take()
    }
}

impl FakeSes {
    fn receive(&mut self, email: Value) -> Response {
        self.requests += 1;
        let answer = self.answers.pop_front().unwrap_or(Accept);
        let Reject(status, code) = answer else {
            self.accepted.push(email);
            let body = Json(json!({"MessageId": format!("message-{}", self.requests)}));
            return match answer {
                AcceptAndDisconnect => ([("content-length", "1000")], "{").into_response(),
                _ => body.into_response(),
            };
        };
        // The message of SES for an account in the sandbox contains the address.
        let message = format!("Email address is not verified: {}", email["Destination"]["ToAddresses"][0]);
        let status = StatusCode::from_u16(status).unwrap();
        (status, [("x-amzn-errortype", code)], Json(json!({ "message": message }))).into_response()
    }
}

/// Returns a new user who has an e-mail address.
fn user_with_email(username: &str) -> Item {
    let mut item = user(username);
    item.insert("email".into(), AttributeValue::S(format!("{username}@example.com")));
    item
}

/// Returns a stream record of a change of `item`, as Lambda delivers it.
fn record(change: &str, sequence_number: &str, item: &Item) -> Value {
    let image: serde_dynamo::Item = item.clone().into();
    let mut keys = item.clone();
    keys.retain(|name, _| ["PK", "SK"].contains(&name.as_str()));
    let keys: serde_dynamo::Item = keys.into();
    json!({
        "eventName": change,
        "dynamodb": {
            "ApproximateCreationDateTime": 1_735_732_807, "Keys": keys, "NewImage": image,
            "SequenceNumber": sequence_number,
        },
    })
}

fn insert(sequence_number: &str, item: &Item) -> Value {
    record("INSERT", sequence_number, item)
}

#[tokio::test]
async fn sends_one_email_to_a_new_user() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(fixture.dynamodb.operations(), ["UpdateItem", "UpdateItem"]);
    let email = fixture.ses.lock().unwrap().accepted[0].clone();
    assert_eq!(email["FromEmailAddress"], "Quick Photos <hello@example.com>");
    assert_eq!(email["Destination"], json!({"ToAddresses": ["dora@example.com"]}));
    let simple = &email["Content"]["Simple"];
    assert_eq!(simple["Subject"], json!({"Data": "Welcome to Quick Photos, dora", "Charset": "UTF-8"}));
    let text = simple["Body"]["Text"]["Data"].as_str().unwrap();
    assert!(text.starts_with("Hello dora,\n") && !text.contains('{'), "{text}");
    assert_eq!(fixture.welcome("dora").await, "sent");

    let before = fixture.dynamodb.all_items().await;
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(fixture.dynamodb.operations(), ["UpdateItem"]);
    assert_eq!(fixture.dynamodb.all_items().await, before);
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
}

#[tokio::test]
async fn repeating_the_sample_event_sends_one_email() {
    let event = Fixture::new("welcome-email").await.sample_event();
    let records = event["Records"].as_array().unwrap();
    let image: serde_dynamo::Item = serde_json::from_value(records[0]["dynamodb"]["NewImage"].clone()).unwrap();
    let fixture = EmailFixture::with(&[&image.into()]).await;
    for _ in 0..2 {
        assert!(fixture.deliver(records).await.is_empty());
    }
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
}

#[tokio::test]
async fn repeated_batches_send_each_email_once() {
    let (dora, emil, finn) = (user_with_email("dora"), user_with_email("emil"), user_with_email("finn"));
    let fixture = EmailFixture::with(&[&dora, &emil, &finn]).await;
    let batch = [insert("1", &dora), insert("2", &dora), insert("3", &emil), insert("4", &finn)];
    for records in [&batch[..], &batch[..], &batch[..3], &batch[2..]] {
        assert!(fixture.deliver(records).await.is_empty());
    }
    assert_eq!(fixture.sent_to(), ["dora@example.com", "emil@example.com", "finn@example.com"]);
}

#[tokio::test]
async fn sends_the_email_after_a_crash_before_sending() {
    let mut dora = user_with_email("dora");
    let as_inserted = dora.clone();
    dora.insert("welcome".into(), AttributeValue::S("sending".into()));
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert("1", &as_inserted)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
    assert_eq!(fixture.welcome("dora").await, "sent");
}

#[tokio::test]
async fn sends_nothing_when_welcome_is_sent() {
    let mut dora = user_with_email("dora");
    let as_inserted = dora.clone();
    dora.insert("welcome".into(), AttributeValue::S("sent".into()));
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert("1", &as_inserted)]).await.is_empty());
    assert!(fixture.sent_to().is_empty());
}

/// An e-mail is sent twice in two cases only: the answer of SES or the second update is lost.
#[tokio::test]
async fn a_failure_after_acceptance_sends_twice() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.answer_with([AcceptAndDisconnect]);
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"; 2]);
    assert_eq!(fixture.welcome("dora").await, "sent");

    let emil = user_with_email("emil");
    fixture.dynamodb.put(emil.clone()).await;
    fixture.dynamodb.inject([Fault::None].into_iter().chain([Fault::Error("ThrottlingException"); 5]));
    assert_eq!(fixture.deliver(&[insert("2", &emil)]).await, ["2"]);
    assert_eq!(fixture.welcome("emil").await, "sending");
    assert!(fixture.deliver(&[insert("2", &emil)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["emil@example.com"; 2]);
    assert_eq!(fixture.welcome("emil").await, "sent");
}

#[tokio::test]
async fn a_lost_answer_of_dynamodb_sends_one_email() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.dynamodb.inject([Fault::AnswerLost, Fault::None, Fault::AnswerLost]);
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
    assert_eq!(fixture.dynamodb.operations(), ["UpdateItem"; 4]);
    assert_eq!(fixture.welcome("dora").await, "sent");
}

#[tokio::test]
async fn ignores_other_records() {
    let fixture = EmailFixture::new().await;
    let dora = user_with_email("dora");
    fixture.dynamodb.put(dora.clone()).await;
    fixture.dynamodb.put(user("emil")).await;
    let mut photo = testing::photo("dora", "2024-05-30T15:42:38");
    photo.insert("email".into(), AttributeValue::S("dora@example.com".into()));
    let records = [
        record("MODIFY", "1", &dora),
        record("REMOVE", "2", &dora),
        insert("3", &user("emil")),
        insert("4", &photo),
        insert("5", &deletion("dora")),
    ];
    let before = fixture.dynamodb.all_items().await;
    assert!(fixture.deliver(&records).await.is_empty());
    assert!(fixture.sent_to().is_empty());
    assert!(fixture.dynamodb.operations().is_empty());
    assert_eq!(fixture.dynamodb.all_items().await, before);
}

#[tokio::test]
async fn sends_nothing_to_a_deleted_user_or_without_an_address() {
    let fixture = EmailFixture::with(&[&deletion("emil"), &user("finn")]).await;
    let before = fixture.dynamodb.all_items().await;
    let batch = [
        insert("1", &user_with_email("dora")),
        insert("2", &user_with_email("emil")),
        insert("3", &user_with_email("finn")),
    ];
    assert!(fixture.deliver(&batch).await.is_empty());
    assert!(fixture.sent_to().is_empty());
    assert_eq!(fixture.dynamodb.all_items().await, before);
}

/// Returns a user whose e-mail an earlier attempt has begun to send, and who has removed the address since.
fn without_address(username: &str) -> Item {
    let mut item = user(username);
    item.insert("welcome".into(), AttributeValue::S("sending".into()));
    item
}

#[tokio::test]
async fn removes_welcome_from_a_user_who_has_removed_the_address_between_two_attempts() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.answer_with([Reject(400, "MessageRejected")]);
    assert_eq!(fixture.deliver(&[insert("1", &dora)]).await, ["1"]);
    assert_eq!(fixture.welcome("dora").await, "sending");

    fixture.dynamodb.put(without_address("dora")).await;
    let _ = fixture.dynamodb.operations();
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(fixture.dynamodb.operations(), ["UpdateItem", "UpdateItem"]);
    assert_eq!(fixture.welcome("dora").await, Value::Null);
    assert!(fixture.sent_to().is_empty());
}

#[tokio::test]
async fn a_lost_answer_of_the_removal_of_welcome_changes_nothing() {
    let fixture = EmailFixture::with(&[&without_address("dora")]).await;
    fixture.dynamodb.inject([Fault::None, Fault::AnswerLost]);
    assert!(fixture.deliver(&[insert("1", &user_with_email("dora"))]).await.is_empty());
    assert_eq!(fixture.dynamodb.operations(), ["UpdateItem"; 3]);
    assert_eq!(fixture.welcome("dora").await, Value::Null);
}

#[tokio::test]
async fn sends_the_email_to_an_address_that_is_added_during_the_removal_of_welcome() {
    let dora = user_with_email("dora");
    let mut again = dora.clone();
    again.insert("welcome".into(), AttributeValue::S("sending".into()));
    let fixture = EmailFixture::with(&[&without_address("dora")]).await;
    fixture.dynamodb.write_concurrently(1, vec![again], vec![]);
    assert_eq!(fixture.deliver(&[insert("1", &dora)]).await, ["1"]);
    assert_eq!(fixture.welcome("dora").await, "sending");
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty(), "Lambda delivers the record again");
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
    assert_eq!(fixture.welcome("dora").await, "sent");
}

#[tokio::test]
async fn creates_no_item_for_a_user_who_is_deleted_during_the_removal_of_welcome() {
    let fixture = EmailFixture::with(&[&without_address("dora")]).await;
    fixture.dynamodb.write_concurrently(1, vec![], vec![user("dora")]);
    let record = insert("1", &user_with_email("dora"));
    assert_eq!(fixture.deliver(std::slice::from_ref(&record)).await, ["1"]);
    assert!(fixture.deliver(&[record]).await.is_empty());
    assert_eq!(fixture.dynamodb.item(Key::user(&"dora".parse().unwrap())).await, Value::Null);
}

#[tokio::test]
async fn sends_to_the_current_address() {
    let mut dora = user_with_email("dora");
    let as_inserted = dora.clone();
    dora.insert("email".into(), AttributeValue::S("new@example.com".into()));
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert("1", &as_inserted)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["new@example.com"]);
}

#[tokio::test]
async fn a_rejected_email_fails_only_its_own_record() {
    let (dora, emil, finn) = (user_with_email("dora"), user_with_email("emil"), user_with_email("finn"));
    let fixture = EmailFixture::with(&[&dora, &emil, &finn]).await;
    fixture.answer_with([Accept, Reject(400, "MessageRejected")]);
    let batch = [insert("1", &dora), insert("2", &emil), insert("3", &finn)];
    assert_eq!(fixture.deliver(&batch).await, ["2"]);
    assert_eq!(fixture.sent_to(), ["dora@example.com", "finn@example.com"]);
    assert_eq!(fixture.ses.lock().unwrap().requests, 3, "SES rejected the e-mail, so the function does not retry it");
    assert_eq!(fixture.welcome("emil").await, "sending");

    assert!(fixture.deliver(&batch[1..]).await.is_empty(), "Lambda delivers again all records from the failed one on");
    assert_eq!(fixture.sent_to(), ["emil@example.com"]);
}

#[tokio::test]
async fn retries_when_ses_throttles() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.answer_with([Reject(429, "TooManyRequestsException"), Reject(503, "ServiceUnavailable"), Accept]);
    assert!(fixture.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);

    let emil = user_with_email("emil");
    fixture.dynamodb.put(emil.clone()).await;
    fixture.answer_with([Reject(429, "TooManyRequestsException"); 5]);
    assert_eq!(fixture.deliver(&[insert("2", &emil)]).await, ["2"]);
    assert!(fixture.sent_to().is_empty());
}

#[tokio::test]
async fn an_error_contains_no_address() {
    let fixture = EmailFixture::new().await;
    fixture.answer_with([Reject(400, "MessageRejected")]);
    let error = fixture.mail.send("Dora", "dora@example.com").await.unwrap_err();
    let log = format!("{error:?}");
    assert!(log.contains("MessageRejected") && !log.contains('@'), "{log}");
}
