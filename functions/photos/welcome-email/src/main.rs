//! Stream of the table: each new user who has an e-mail address gets one e-mail, by one `SendEmail` of SES between two
//! conditional `UpdateItem`s.
//!
//! The stream delivers a record once or more, and SES can't tell a repeated request from a new one:
//! [`SendEmail`](https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html) takes no idempotency token.
//! So the user's item says in `welcome` how far the e-mail is: `sending` is written before it, `sent` after it. Whoever
//! finds `sent` does nothing. Whoever finds `sending` can't know whether the attempt before reached SES, and sends.
//!
//! Of the two things that can happen, this chooses the second:
//!
//! - An e-mail is never lost: `sent` is written only when SES has accepted it. Until then the record comes again, at
//!   last as an entry of the on-failure queue, and `sending` in the table tells who waits.
//! - An e-mail may come twice, if SES accepted it and its answer, or the write after that, got lost. Repeated records,
//!   repeated batches and crashes at any other point send nothing twice.
//!
//! `sending` is no lock, and need not be: Lambda hands out one batch of a shard at a time.
//!
//! Nobody has verified the address, and the name is whatever its owner chose: the text shows nothing else of the
//! profile.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};
use aws_sdk_sesv2::error::ProvideErrorMetadata;
use aws_sdk_sesv2::operation::RequestId;
use aws_sdk_sesv2::operation::send_email::SendEmailError;
use aws_sdk_sesv2::types::{Body, Content, Destination, EmailContent, Message};
use shared::photos;
use shared::stream::{Change, Record};
use shared::{Error, Table};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let mail = Mail::from_environment().await?;
    shared::stream::run(|table, record| welcome_email(&mail, table, record)).await
}

async fn welcome_email(mail: &Mail, table: Table, record: Record) -> Result<(), Error> {
    // The event source mapping lets through nothing else. It is configuration, and this is about strangers' mailboxes.
    let new =
        record.change == Change::Insert && photos::user(record.new_image)?.is_some_and(|user| user.email.is_some());
    if !new {
        return Ok(());
    }

    let sending = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(record.keys.clone()))
        // Whoever has been deleted since has no username; whoever has taken the address away gets no e-mail either.
        .condition_expression(
            "attribute_exists(username) AND attribute_exists(email) \
             AND (attribute_not_exists(welcome) OR welcome = :sending)",
        )
        .update_expression("SET welcome = :sending")
        .expression_attribute_values(":sending", AttributeValue::S("sending".to_owned()))
        // The address as it is now: the record may be a day old.
        .return_values(ReturnValue::AllNew)
        .send()
        .await;
    let Some(marked) = unless_refused(sending)? else {
        return Ok(());
    };
    let newcomer = photos::user(marked.attributes.unwrap_or_default())?;
    let Some((name, address)) = newcomer.and_then(|user| Some((user.name, user.email?))) else {
        return Ok(());
    };

    mail.send(&name, &address).await?;

    let sent = table
        .client
        .update_item()
        .table_name(&table.name)
        .set_key(Some(record.keys))
        .condition_expression("attribute_exists(username)")
        .update_expression("SET welcome = :sent")
        .expression_attribute_values(":sent", AttributeValue::S("sent".to_owned()))
        .send()
        .await;
    unless_refused(sent)?;
    Ok(())
}

/// What an update returned; none if its condition failed.
fn unless_refused<T>(update: Result<T, SdkError<UpdateItemError>>) -> Result<Option<T>, Error> {
    match update {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.as_service_error().is_some_and(UpdateItemError::is_conditional_check_failed_exception) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Subject, empty line, text. `{name}` stands for the user's name.
const TEMPLATE: &str = include_str!("welcome.txt");

/// Who sends the e-mail, and by what.
struct Mail {
    client: aws_sdk_sesv2::Client,
    sender: String,
}

impl Mail {
    async fn from_environment() -> Result<Self, lambda_http::Error> {
        let sender = std::env::var("WELCOME_SENDER").map_err(|_| "WELCOME_SENDER is not set")?;
        Ok(Self::new(&shared::function::environment("SESV2").await?, sender))
    }

    /// With five seconds for an attempt instead of one. SES mostly answers within a fraction of a second; but where it
    /// takes longer and is given up, it may have accepted the e-mail, and the next attempt sends it twice. Five
    /// attempts of that length still fit into the function's timeout.
    fn new(config: &SdkConfig, sender: String) -> Self {
        let timeouts = TimeoutConfig::builder()
            .connect_timeout(Duration::from_secs(1))
            .operation_attempt_timeout(Duration::from_secs(5))
            .build();
        let config = aws_sdk_sesv2::config::Builder::from(config).timeout_config(timeouts).build();
        Self { client: aws_sdk_sesv2::Client::from_conf(config), sender }
    }

    async fn send(&self, name: &str, address: &str) -> Result<(), Error> {
        let (subject, text) = TEMPLATE.split_once("\n\n").ok_or_else(|| Error::internal("welcome.txt has no text"))?;
        let content =
            |template: &str| Content::builder().data(template.replace("{name}", name)).charset("UTF-8").build();
        let message =
            Message::builder().subject(content(subject)?).body(Body::builder().text(content(text)?).build()).build();
        self.client
            .send_email()
            .from_email_address(&self.sender)
            .destination(Destination::builder().to_addresses(address).build())
            .content(EmailContent::builder().simple(message).build())
            .send()
            .await
            .map_err(not_sent)?;
        Ok(())
    }
}

/// Why SES did not send, for the log: by its code and not by its message, because some messages name the address.
fn not_sent(error: SdkError<SendEmailError>) -> Error {
    let Some(refusal) = error.as_service_error() else {
        return error.into();
    };
    let reason =
        format!("SES: {} ({})", error.code().unwrap_or("no code"), error.request_id().unwrap_or("no request id"));
    if refusal.is_too_many_requests_exception() { Error::Busy(reason.into()) } else { Error::internal(reason) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
    use axum::Json;
    use axum::http::StatusCode;
    use axum::response::{IntoResponse, Response};
    use axum::routing::post;
    use local::testing::{Fault, Fixture, deletion, user};
    use serde_json::{Value, json};
    use shared::items::Item;
    use shared::photos::Key;
    use std::collections::VecDeque;
    use std::sync::{Arc, Mutex};
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
            let config = shared::function::config(shared::https::from_environment().unwrap())
                .into_builder()
                .region(Region::from_static("eu-west-1"))
                .credentials_provider(SharedCredentialsProvider::new(Credentials::new(
                    "test", "test", None, None, "test",
                )))
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
        assert_eq!(office.fixture.asked(), ["UpdateItem", "UpdateItem"]);
        let email = office.ses.lock().unwrap().accepted[0].clone();
        assert_eq!(email["FromEmailAddress"], "Quick Photos <hello@example.com>");
        assert_eq!(email["Destination"], json!({"ToAddresses": ["dora@example.com"]}));
        let simple = &email["Content"]["Simple"];
        assert_eq!(simple["Subject"], json!({"Data": "Welcome to Quick Photos, dora", "Charset": "UTF-8"}));
        let text = simple["Body"]["Text"]["Data"].as_str().unwrap();
        assert!(text.starts_with("Hello dora,\n") && !text.contains('{'), "{text}");
        assert_eq!(office.welcome("dora").await, "sent");

        let before = office.fixture.everything().await;
        assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
        assert_eq!(office.fixture.asked(), ["UpdateItem"]);
        assert_eq!(office.fixture.everything().await, before);
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
        office.fixture.befall([Fault::None].into_iter().chain([Fault::Refused("ThrottlingException"); 5]));
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
        office.fixture.befall([Fault::LostAnswer, Fault::None, Fault::LostAnswer]);
        assert!(office.deliver(&[insert("1", &dora)]).await.is_empty());
        assert_eq!(office.sent_to(), ["dora@example.com"]);
        assert_eq!(office.fixture.asked(), ["UpdateItem"; 4]);
        assert_eq!(office.welcome("dora").await, "sent");
    }

    #[tokio::test]
    async fn nobody_else_gets_one() {
        let office = Office::new().await;
        let dora = newcomer("dora");
        office.fixture.put(dora.clone()).await;
        office.fixture.put(user("emil")).await;
        let mut photo = local::testing::photo("dora", "2024-05-30T15:42:38");
        photo.insert("email".into(), AttributeValue::S("dora@example.com".into()));
        let records = [
            record("MODIFY", "1", &dora),
            record("REMOVE", "2", &dora),
            insert("3", &user("emil")),
            insert("4", &photo),
            insert("5", &deletion("dora")),
        ];
        let before = office.fixture.everything().await;
        assert!(office.deliver(&records).await.is_empty());
        assert!(office.sent_to().is_empty());
        assert!(office.fixture.asked().is_empty());
        assert_eq!(office.fixture.everything().await, before);
    }

    #[tokio::test]
    async fn whoever_left_meanwhile_gets_none() {
        let office = Office::with(&[&deletion("emil"), &user("finn")]).await;
        let before = office.fixture.everything().await;
        let batch = [insert("1", &newcomer("dora")), insert("2", &newcomer("emil")), insert("3", &newcomer("finn"))];
        assert!(office.deliver(&batch).await.is_empty());
        assert!(office.sent_to().is_empty());
        assert_eq!(office.fixture.everything().await, before);
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
        assert_eq!(office.ses.lock().unwrap().asked, 3, "a refusal is not tried again at once");
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
}
