use super::*;
use crate::send_welcome::mail::Wording;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::Value;
use serde_json::json;
use shared::entities::{Key, WELCOME_LIFETIME_DAYS};
use shared::values::{EpochMillis, Timestamp};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use testing::{Fault, Fixture, batch, deletion, record, user};
use tokio::net::TcpListener;

/// The answer of the fake SES to one request.
#[derive(Debug, Clone, Copy)]
enum SesAnswer {
    Accept,
    /// Accepts the e-mail and breaks the connection before the answer.
    AcceptAndDisconnect,
    /// Rejects the e-mail with this status and code.
    Reject(u16, &'static str),
    /// Rejects the e-mail, because the identity of the sender, or in the sandbox that of the address, is not verified.
    Unverified,
}
use SesAnswer::{Accept, AcceptAndDisconnect, Reject, Unverified};

/// A fixture with a fake SES.
struct EmailFixture {
    dynamodb: Fixture,
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
        let dynamodb = Fixture::with_parameters("send-welcome", &[("WelcomeSender", "hello@example.com")]).await;
        dynamodb.connect("SESV2", &endpoint);
        Self { dynamodb, ses }
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

    /// Delivers a batch to the function and returns the sequence numbers of the records that
    /// failed.
    async fn deliver(&self, records: &[Record]) -> Vec<String> {
        self.deliver_event(batch(records)).await
    }

    async fn deliver_event(&self, event: Value) -> Vec<String> {
        self.dynamodb.deliver(SendWelcome::start, event).await
    }

    /// Returns the operations since the last call.
    fn operations(&self) -> Vec<String> {
        self.dynamodb.operations()
    }

    /// Returns the addresses of the e-mails that SES has accepted since the last call.
    fn sent_to(&self) -> Vec<String> {
        let accepted = std::mem::take(&mut self.ses.lock().unwrap().accepted);
        accepted.iter().map(|email| email["Destination"]["ToAddresses"][0].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the `Welcome` of an account.
    async fn welcome(&self, subject: &str) -> Value {
        self.dynamodb.item(Key::welcome(&subject.parse().unwrap())).await
    }
}

impl FakeSes {
    fn receive(&mut self, email: Value) -> Response {
        self.requests += 1;
        let answer = self.answers.pop_front().unwrap_or(Accept);
        let (status, code, message) = match answer {
            Reject(status, code) => (status, code, "The address is refused"),
            Unverified => (
                400,
                "MessageRejected",
                "Email address is not verified. The following identities failed the check in region EU-WEST-1",
            ),
            Accept | AcceptAndDisconnect => {
                self.accepted.push(email);
                let body = Json(json!({"MessageId": format!("message-{}", self.requests)}));
                return match answer {
                    AcceptAndDisconnect => ([("content-length", "1000")], "{").into_response(),
                    _ => body.into_response(),
                };
            }
        };
        let message = format!("{message}: {}", email["Destination"]["ToAddresses"][0]);
        let status = StatusCode::from_u16(status).unwrap();
        (status, [("x-amzn-errortype", code)], Json(json!({ "message": message }))).into_response()
    }
}

/// Returns the record of a new item.
fn insert(item: &Item) -> Record {
    record(Item::new(), item.clone())
}

/// Returns a new user who has an e-mail address. The account is `subject-<username>`.
fn user_with_email(username: &str) -> Item {
    let mut item = user(username);
    item.insert("email".into(), AttributeValue::S(format!("{username}@example.com")));
    item.insert("subject".into(), AttributeValue::S(format!("subject-{username}")));
    item
}

/// Returns an item with another value of an attribute.
fn with(item: &Item, attribute: &str, value: &str) -> Item {
    let mut item = item.clone();
    item.insert(attribute.into(), AttributeValue::S(value.into()));
    item
}

#[tokio::test]
async fn sends_one_email_to_a_new_user() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.operations(), ["BatchGetItem", "PutItem"]);
    let email = fixture.ses.lock().unwrap().accepted[0].clone();
    assert_eq!(email["FromEmailAddress"], "Quick Photos <hello@example.com>");
    assert_eq!(email["Destination"], json!({"ToAddresses": ["dora@example.com"]}));
    let simple = &email["Content"]["Simple"];
    assert_eq!(simple["Subject"], json!({"Data": "Welcome to Quick Photos", "Charset": "UTF-8"}));
    let text = simple["Body"]["Text"]["Data"].as_str().unwrap();
    assert!(text.starts_with("Hello,\n\nYour profile is ready."), "{text}");

    let before = fixture.dynamodb.all_items().await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.operations(), ["BatchGetItem"]);
    assert_eq!(fixture.dynamodb.all_items().await, before);
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
}

#[tokio::test]
async fn the_email_contains_no_text_of_a_user_and_no_link() {
    let dora = with(&user_with_email("dora"), "name", "evil.example");
    let dora = with(&dora, "status", "https://evil.example");
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    let content = fixture.ses.lock().unwrap().accepted[0]["Content"].to_string();
    for absent in ["evil", "dora", "://", "www", "@"] {
        assert!(!content.contains(absent), "{content}");
    }
}

#[tokio::test]
async fn the_email_is_what_the_operators_write_with_the_username_and_no_link() {
    let users = [user_with_email("emil"), user_with_email("evil.example")];
    let fixture = EmailFixture::with(&[&users[0], &users[1]]).await;
    let start = |process: &Process| {
        let mut mail = Mail::from_process(process)?;
        mail.subject = "{username}, hello".parse()?;
        mail.text = "Dear {username},\n\nyou are {username}.\n".parse()?;
        Ok(SendWelcome { table: process.table("TABLE_NAME")?, mail })
    };
    let records = users.each_ref().map(insert);
    assert!(fixture.dynamodb.deliver(start, batch(&records)).await.is_empty());
    let mut sent = std::mem::take(&mut fixture.ses.lock().unwrap().accepted);
    sent.sort_by_key(ToString::to_string);
    let contents = sent.iter().map(|email| {
        let simple = &email["Content"]["Simple"];
        (simple["Subject"]["Data"].as_str().unwrap(), simple["Body"]["Text"]["Data"].as_str().unwrap())
    });
    let of = |name: &str| (format!("{name}, hello"), format!("Dear {name},\n\nyou are {name}."));
    let expected = [of("emil"), of("evil.\u{2060}example")];
    assert!(contents.eq(expected.iter().map(|(subject, text)| (subject.as_str(), text.as_str()))), "{sent:?}");
}

#[test]
fn a_wording_has_text_and_no_unknown_placeholder() {
    for bad in ["", " \n", "Hello {name}", "Hello {username", "{{username}}"] {
        assert!(bad.parse::<Wording>().is_err(), "{bad}");
    }
    assert!("Hello {username}".parse::<Wording>().is_ok() && "Hello".parse::<Wording>().is_ok());
}

#[tokio::test]
async fn the_welcome_holds_no_name_and_no_address_and_expires() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    let mut welcome = fixture.welcome("subject-dora").await;
    let welcomed = welcome["welcomed"].take();
    assert!(welcomed.as_str().unwrap().parse::<Timestamp>().is_ok(), "{welcomed}");
    let seconds = welcome["ttl"].take().as_u64().unwrap() - EpochMillis::now().seconds();
    assert_eq!(seconds.div_ceil(24 * 60 * 60), WELCOME_LIFETIME_DAYS);
    let expected = json!({
        "PK": "SUBJECT#subject-dora", "SK": "#WELCOME#subject-dora", "subject": "subject-dora", "welcomed": null, "ttl": null,
    });
    assert_eq!(welcome, expected);
}

#[tokio::test]
async fn an_account_that_creates_its_user_again_gets_no_second_email() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
    for username in ["dora", "dora", "emil"] {
        let again = with(&user_with_email(username), "email", "victim@example.org");
        let again = with(&again, "subject", "subject-dora");
        fixture.dynamodb.put(again.clone()).await;
        assert!(fixture.deliver(&[insert(&again)]).await.is_empty());
    }
    assert!(fixture.sent_to().is_empty());
}

#[tokio::test]
async fn the_account_of_a_user_without_a_subject_is_the_username() {
    let mut dora = user_with_email("dora");
    dora.remove("subject");
    let fixture = EmailFixture::with(&[&dora]).await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.welcome("dora").await["subject"], "dora");
    assert!(fixture.deliver(&[insert(&with(&dora, "email", "victim@example.org"))]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
}

/// The record of the first user comes when the second one has the username. The second one has a
/// record of their own.
#[tokio::test]
async fn two_accounts_that_have_one_username_in_turn_get_one_email_each() {
    let first = user_with_email("dora");
    let second = with(&with(&first, "email", "new@example.com"), "subject", "subject-of-another");
    let fixture = EmailFixture::with(&[&second]).await;
    assert!(fixture.deliver(&[insert(&first), insert(&second)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["new@example.com"]);
    assert_eq!(fixture.welcome("subject-dora").await, Value::Null);
}

/// Returns the new user of the message in an event.
fn sent_image(event: &Value) -> Item {
    let record: Value = serde_json::from_str(event["Records"][0]["body"].as_str().unwrap()).unwrap();
    let image: serde_dynamo::Item = serde_json::from_value(record["dynamodb"]["NewImage"].clone()).unwrap();
    image.into()
}

#[tokio::test]
async fn repeating_the_sample_event_sends_one_email() {
    let event = Fixture::new("send-welcome").await.sample_event();
    let image = sent_image(&event);
    let fixture = EmailFixture::with(&[&image]).await;
    for _ in 0..2 {
        assert!(fixture.deliver_event(event.clone()).await.is_empty());
    }
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
}

#[tokio::test]
async fn repeated_batches_send_each_email_once() {
    let (dora, emil, finn) = (user_with_email("dora"), user_with_email("emil"), user_with_email("finn"));
    let fixture = EmailFixture::with(&[&dora, &emil, &finn]).await;
    let batch = [insert(&dora), insert(&dora), insert(&emil), insert(&finn)];
    for records in [&batch[..], &batch[..], &batch[..3], &batch[2..]] {
        assert!(fixture.deliver(records).await.is_empty());
    }
    assert_eq!(fixture.sent_to(), ["dora@example.com", "emil@example.com", "finn@example.com"]);
}

/// An e-mail is sent twice in two cases only: the answer of SES or the `PutItem` is lost.
#[tokio::test]
async fn a_failure_after_acceptance_sends_twice() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.answer_with([AcceptAndDisconnect]);
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"; 2]);

    let emil = user_with_email("emil");
    fixture.dynamodb.put(emil.clone()).await;
    fixture.dynamodb.inject([Fault::None].into_iter().chain([Fault::Error("ThrottlingException"); 5]));
    assert_eq!(fixture.deliver(&[insert(&emil)]).await, ["1"]);
    assert_eq!(fixture.welcome("subject-emil").await, Value::Null);
    assert!(fixture.deliver(&[insert(&emil)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["emil@example.com"; 2]);
    assert!(fixture.deliver(&[insert(&emil)]).await.is_empty());
    assert!(fixture.sent_to().is_empty());
}

#[tokio::test]
async fn a_lost_answer_of_dynamodb_sends_one_email() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.dynamodb.inject([Fault::AnswerLost, Fault::None, Fault::AnswerLost]);
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);
    assert_eq!(fixture.operations(), ["BatchGetItem", "BatchGetItem", "PutItem", "PutItem"]);
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
        record(dora.clone(), dora.clone()),
        record(dora.clone(), Item::new()),
        insert(&user("emil")),
        insert(&photo),
        insert(&deletion("dora")),
    ];
    let before = fixture.dynamodb.all_items().await;
    assert!(fixture.deliver(&records).await.is_empty());
    assert!(fixture.sent_to().is_empty());
    assert_eq!(fixture.operations(), [""; 0]);
    assert_eq!(fixture.dynamodb.all_items().await, before);
}

#[tokio::test]
async fn sends_nothing_to_a_deleted_user_or_without_an_address() {
    let fixture = EmailFixture::with(&[&deletion("emil"), &user("finn")]).await;
    let before = fixture.dynamodb.all_items().await;
    let batch = [insert(&user_with_email("dora")), insert(&user_with_email("emil")), insert(&user_with_email("finn"))];
    assert!(fixture.deliver(&batch).await.is_empty());
    assert!(fixture.sent_to().is_empty());
    assert_eq!(fixture.dynamodb.all_items().await, before);
}

#[tokio::test]
async fn sends_to_the_current_address() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&with(&dora, "email", "new@example.com")]).await;
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["new@example.com"]);
}

/// An error of the sender's account fails a record, because somebody can correct its cause.
#[tokio::test]
async fn an_email_that_cannot_be_sent_fails_only_its_own_record() {
    let (dora, emil, finn) = (user_with_email("dora"), user_with_email("emil"), user_with_email("finn"));
    for rejection in [Reject(400, "SendingPausedException"), Unverified] {
        let fixture = EmailFixture::with(&[&dora, &emil, &finn]).await;
        fixture.answer_with([Accept, rejection]);
        let batch = [insert(&dora), insert(&emil), insert(&finn)];
        assert_eq!(fixture.deliver(&batch).await, ["2"], "{rejection:?}");
        assert_eq!(fixture.sent_to(), ["dora@example.com", "finn@example.com"]);
        assert_eq!(fixture.ses.lock().unwrap().requests, 3, "the function does not repeat the request");
        assert_eq!(fixture.welcome("subject-emil").await, Value::Null);

        assert!(fixture.deliver(&batch[1..2]).await.is_empty(), "the message comes again");
        assert_eq!(fixture.sent_to(), ["emil@example.com"]);
    }
}

#[tokio::test]
async fn an_address_that_is_refused_for_good_is_not_tried_again() {
    let (dora, emil) = (user_with_email("dora"), user_with_email("emil"));
    let fixture = EmailFixture::with(&[&dora, &emil]).await;
    for code in ["MessageRejected", "BadRequestException"] {
        fixture.answer_with([Reject(400, code)]);
        assert!(fixture.deliver(&[insert(&dora)]).await.is_empty(), "{code}");
    }
    assert_eq!(fixture.ses.lock().unwrap().requests, 2);
    assert_eq!(fixture.welcome("subject-dora").await, Value::Null, "another address may get one");
    assert!(fixture.deliver(&[insert(&emil)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["emil@example.com"]);
}

#[tokio::test]
async fn retries_when_ses_throttles() {
    let dora = user_with_email("dora");
    let fixture = EmailFixture::with(&[&dora]).await;
    fixture.answer_with([Reject(429, "TooManyRequestsException"), Reject(503, "ServiceUnavailable"), Accept]);
    assert!(fixture.deliver(&[insert(&dora)]).await.is_empty());
    assert_eq!(fixture.sent_to(), ["dora@example.com"]);

    let emil = user_with_email("emil");
    fixture.dynamodb.put(emil.clone()).await;
    fixture.answer_with([Reject(429, "TooManyRequestsException"); 5]);
    assert_eq!(fixture.deliver(&[insert(&emil)]).await, ["1"]);
    assert!(fixture.sent_to().is_empty());
}

#[tokio::test]
async fn an_error_contains_no_address() {
    for (rejection, code) in [
        (Reject(400, "MailFromDomainNotVerifiedException"), "MailFromDomainNotVerified"),
        (Unverified, "MessageRejected"),
    ] {
        let fixture = EmailFixture::new().await;
        fixture.answer_with([rejection]);
        let mail = fixture.dynamodb.handler(SendWelcome::start).mail;
        let error = mail.send("dora@example.com", &"dora".parse().unwrap()).await.unwrap_err();
        let log = format!("{error:?}");
        assert!(log.contains(code) && !log.contains('@'), "{log}");
    }
}
