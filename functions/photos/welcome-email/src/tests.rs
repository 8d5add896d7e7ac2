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

/// What SES does with a request.
#[derive(Debug, Clone, Copy)]
enum Mood {
    Accept,
    /// It accepts, and the connection breaks.
    LoseAnswer,
    /// Status and code.
    Refuse(u16, &'static str),
}
use Mood::{Accept, LoseAnswer, Refuse};

/// The stage, with a post office.
struct Office {
    fixture: Fixture,
    mail: Mail,
    ses: Arc<Mutex<Ses>>,
}

#[derive(Default)]
struct Ses {
    moods: VecDeque<Mood>,
    asked: usize,
    accepted: Vec<Value>,
}

impl Office {
    async fn new() -> Self {
        let ses = Arc::new(Mutex::new(Ses::default()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let office = ses.clone();
        let router = axum::Router::new().route(
            "/v2/email/outbound-emails",
            post(async move |Json(email): Json<Value>| office.lock().unwrap().receive(email)),
        );
        tokio::spawn(async move { axum::serve(listener, router).await });
        let config = shared::runtime::client::config(shared::runtime::https::from_environment().unwrap())
            .into_builder()
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::new("test", "test", None, None, "test")))
            .endpoint_url(endpoint);
        let mail = Mail::new(&config.build(), "Quick Photos <hello@example.com>".into());
        Self { fixture: Fixture::new("welcome-email").await, mail, ses }
    }

    /// With these users, who are new.
    async fn with(users: &[&Item]) -> Self {
        let office = Self::new().await;
        for user in users {
            office.fixture.put((*user).clone()).await;
        }
        office
    }

    fn moods(&self, moods: impl IntoIterator<Item = Mood>) {
        self.ses.lock().unwrap().moods = moods.into_iter().collect();
    }

    /// Hands the batch to the function, and tells which records failed.
    async fn deliver(&self, records: &[Value]) -> Vec<String> {
        let handler = |table, record| welcome_email(&self.mail, table, record);
        self.fixture.deliver(handler, json!({ "Records": records })).await
    }

    /// The addresses to which e-mails went since the last look.
    fn sent_to(&self) -> Vec<String> {
        let accepted = std::mem::take(&mut self.ses.lock().unwrap().accepted);
        accepted.iter().map(|email| email["Destination"]["ToAddresses"][0].as_str().unwrap().to_owned()).collect()
    }

    async fn welcome(&self, username: &str) -> Value {
        self.fixture.item(Key::user(&username.parse().unwrap())).await["welcome"].take()
    }
}

impl Ses {
    fn receive(&mut self, email: Value) -> Response {
        self.asked += 1;
        let mood = self.moods.pop_front().unwrap_or(Accept);
        let Refuse(status, code) = mood else {
            self.accepted.push(email);
            let answer = Json(json!({"MessageId": format!("message-{}", self.asked)}));
            return match mood {
                LoseAnswer => ([("content-length", "1000")], "{").into_response(),
                _ => answer.into_response(),
            };
        };
        // As SES words it while an account is in the sandbox: with the address.
        let message = format!("Email address is not verified: {}", email["Destination"]["ToAddresses"][0]);
        let status = StatusCode::from_u16(status).unwrap();
        (status, [("x-amzn-errortype", code)], Json(json!({ "message": message }))).into_response()
    }
}

fn newcomer(username: &str) -> Item {
    let mut item = user(username);
    item.insert("email".into(), AttributeValue::S(format!("{username}@example.com")));
    item
}

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
async fn greets_a_new_user_once() {
    let dora = newcomer("dora");
    let office = Office::with(&[&dora]).await;
    assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(office.fixture.operations(), ["UpdateItem", "UpdateItem"]);
    let email = office.ses.lock().unwrap().accepted[0].clone();
    assert_eq!(email["FromEmailAddress"], "Quick Photos <hello@example.com>");
    assert_eq!(email["Destination"], json!({"ToAddresses": ["dora@example.com"]}));
    let simple = &email["Content"]["Simple"];
    assert_eq!(simple["Subject"], json!({"Data": "Welcome to Quick Photos, dora", "Charset": "UTF-8"}));
    let text = simple["Body"]["Text"]["Data"].as_str().unwrap();
    assert!(text.starts_with("Hello dora,\n") && !text.contains('{'), "{text}");
    assert_eq!(office.welcome("dora").await, "sent");

    let before = office.fixture.all_items().await;
    assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(office.fixture.operations(), ["UpdateItem"]);
    assert_eq!(office.fixture.all_items().await, before);
    assert_eq!(office.sent_to(), ["dora@example.com"]);
}

#[tokio::test]
async fn the_sample_event_sends_and_may_be_repeated() {
    let event = Fixture::new("welcome-email").await.sample_event();
    let records = event["Records"].as_array().unwrap();
    let image: serde_dynamo::Item = serde_json::from_value(records[0]["dynamodb"]["NewImage"].clone()).unwrap();
    let office = Office::with(&[&image.into()]).await;
    for _ in 0..2 {
        assert!(office.deliver(records).await.is_empty());
    }
    assert_eq!(office.sent_to(), ["dora@example.com"]);
}

#[tokio::test]
async fn repeated_batches_and_prefixes_send_nothing_again() {
    let (dora, emil, finn) = (newcomer("dora"), newcomer("emil"), newcomer("finn"));
    let office = Office::with(&[&dora, &emil, &finn]).await;
    let batch = [insert("1", &dora), insert("2", &dora), insert("3", &emil), insert("4", &finn)];
    for records in [&batch[..], &batch[..], &batch[..3], &batch[2..]] {
        assert!(office.deliver(records).await.is_empty());
    }
    assert_eq!(office.sent_to(), ["dora@example.com", "emil@example.com", "finn@example.com"]);
}

#[tokio::test]
async fn a_crash_before_sending_loses_nothing() {
    let mut dora = newcomer("dora");
    let as_inserted = dora.clone();
    dora.insert("welcome".into(), AttributeValue::S("sending".into()));
    let office = Office::with(&[&dora]).await;
    assert!(office.deliver(&[insert("1", &as_inserted)]).await.is_empty());
    assert_eq!(office.sent_to(), ["dora@example.com"]);
    assert_eq!(office.welcome("dora").await, "sent");
}

#[tokio::test]
async fn what_is_sent_is_not_sent_again() {
    let mut dora = newcomer("dora");
    let as_inserted = dora.clone();
    dora.insert("welcome".into(), AttributeValue::S("sent".into()));
    let office = Office::with(&[&dora]).await;
    assert!(office.deliver(&[insert("1", &as_inserted)]).await.is_empty());
    assert!(office.sent_to().is_empty());
}

/// The two ways to two e-mails, and the price of losing none.
#[tokio::test]
async fn what_happens_between_acceptance_and_the_second_write_sends_twice() {
    let dora = newcomer("dora");
    let office = Office::with(&[&dora]).await;
    office.moods([LoseAnswer]);
    assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(office.sent_to(), ["dora@example.com"; 2]);
    assert_eq!(office.welcome("dora").await, "sent");

    let emil = newcomer("emil");
    office.fixture.put(emil.clone()).await;
    office.fixture.inject([Fault::None].into_iter().chain([Fault::Error("ThrottlingException"); 5]));
    assert_eq!(office.deliver(&[insert("2", &emil)]).await, ["2"]);
    assert_eq!(office.welcome("emil").await, "sending");
    assert!(office.deliver(&[insert("2", &emil)]).await.is_empty());
    assert_eq!(office.sent_to(), ["emil@example.com"; 2]);
    assert_eq!(office.welcome("emil").await, "sent");
}

#[tokio::test]
async fn a_lost_answer_of_dynamodb_sends_once() {
    let dora = newcomer("dora");
    let office = Office::with(&[&dora]).await;
    office.fixture.inject([Fault::AnswerLost, Fault::None, Fault::AnswerLost]);
    assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(office.sent_to(), ["dora@example.com"]);
    assert_eq!(office.fixture.operations(), ["UpdateItem"; 4]);
    assert_eq!(office.welcome("dora").await, "sent");
}

#[tokio::test]
async fn nobody_else_gets_one() {
    let office = Office::new().await;
    let dora = newcomer("dora");
    office.fixture.put(dora.clone()).await;
    office.fixture.put(user("emil")).await;
    let mut photo = testing::photo("dora", "2024-05-30T15:42:38");
    photo.insert("email".into(), AttributeValue::S("dora@example.com".into()));
    let records = [
        record("MODIFY", "1", &dora),
        record("REMOVE", "2", &dora),
        insert("3", &user("emil")),
        insert("4", &photo),
        insert("5", &deletion("dora")),
    ];
    let before = office.fixture.all_items().await;
    assert!(office.deliver(&records).await.is_empty());
    assert!(office.sent_to().is_empty());
    assert!(office.fixture.operations().is_empty());
    assert_eq!(office.fixture.all_items().await, before);
}

#[tokio::test]
async fn whoever_left_meanwhile_gets_none() {
    let office = Office::with(&[&deletion("emil"), &user("finn")]).await;
    let before = office.fixture.all_items().await;
    let batch = [insert("1", &newcomer("dora")), insert("2", &newcomer("emil")), insert("3", &newcomer("finn"))];
    assert!(office.deliver(&batch).await.is_empty());
    assert!(office.sent_to().is_empty());
    assert_eq!(office.fixture.all_items().await, before);
}

#[tokio::test]
async fn the_address_of_today_counts() {
    let mut dora = newcomer("dora");
    let as_inserted = dora.clone();
    dora.insert("email".into(), AttributeValue::S("new@example.com".into()));
    let office = Office::with(&[&dora]).await;
    assert!(office.deliver(&[insert("1", &as_inserted)]).await.is_empty());
    assert_eq!(office.sent_to(), ["new@example.com"]);
}

#[tokio::test]
async fn a_refusal_fails_its_own_record_alone() {
    let (dora, emil, finn) = (newcomer("dora"), newcomer("emil"), newcomer("finn"));
    let office = Office::with(&[&dora, &emil, &finn]).await;
    office.moods([Accept, Refuse(400, "MessageRejected")]);
    let batch = [insert("1", &dora), insert("2", &emil), insert("3", &finn)];
    assert_eq!(office.deliver(&batch).await, ["2"]);
    assert_eq!(office.sent_to(), ["dora@example.com", "finn@example.com"]);
    assert_eq!(office.ses.lock().unwrap().asked, 3, "a failed is not tried again at once");
    assert_eq!(office.welcome("emil").await, "sending");

    assert!(office.deliver(&batch[1..]).await.is_empty(), "as Lambda does: all that follows the failure");
    assert_eq!(office.sent_to(), ["emil@example.com"]);
}

#[tokio::test]
async fn throttling_is_waited_out() {
    let dora = newcomer("dora");
    let office = Office::with(&[&dora]).await;
    office.moods([Refuse(429, "TooManyRequestsException"), Refuse(503, "ServiceUnavailable"), Accept]);
    assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
    assert_eq!(office.sent_to(), ["dora@example.com"]);

    let emil = newcomer("emil");
    office.fixture.put(emil.clone()).await;
    office.moods([Refuse(429, "TooManyRequestsException"); 5]);
    assert_eq!(office.deliver(&[insert("2", &emil)]).await, ["2"]);
    assert!(office.sent_to().is_empty());
}

#[tokio::test]
async fn the_log_names_no_address() {
    let office = Office::new().await;
    office.moods([Refuse(400, "MessageRejected")]);
    let error = office.mail.send("Dora", "dora@example.com").await.unwrap_err();
    let log = format!("{error:?}");
    assert!(log.contains("MessageRejected") && !log.contains('@'), "{log}");
}
