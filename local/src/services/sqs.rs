//! The [API of Amazon
//! SQS](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html) below
//! [`SQS_PATH`], in the JSON protocol, as far as functions and operators need it:
//!
//! - `SendMessage` and `SendMessageBatch` to a queue whose messages start a function;
//! - `ReceiveMessage`, `DeleteMessage` and `ChangeMessageVisibility` for dead-letter queues, whose
//!   messages are in the [outbox](super::outbox);
//! - `StartMessageMoveTask`, which moves the messages of a dead-letter queue back to their queue.
//!
//! A request needs no signature. `ReceiveMessage` does not wait for messages, and a receipt handle
//! is the message id.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::lambda::message_queues::MessageQueues;
use crate::lambda::variables::SQS_PATH;
use crate::services::outbox::Outbox;
use crate::template::{Destination, Template};

/// The time for which a received message is hidden if the request names none: the
/// [default](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html)
/// of a queue.
const DEFAULT_VISIBILITY_TIMEOUT: u64 = 30;
/// The maximum size of a message: 1 MiB.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

/// The queues of a template.
#[derive(Clone)]
pub struct Sqs {
    names: Arc<BTreeSet<String>>,
    outbox: Arc<Outbox>,
    messages: MessageQueues,
}

/// The members of the requests that have an effect here.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Request {
    #[serde(alias = "SourceArn")]
    queue_url: String,
    #[serde(default)]
    message_body: String,
    #[serde(default)]
    entries: Vec<Entry>,
    max_number_of_messages: Option<usize>,
    visibility_timeout: Option<u64>,
    #[serde(default)]
    receipt_handle: String,
}

/// A message of a `SendMessageBatch`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Entry {
    id: String,
    message_body: String,
}

impl Sqs {
    /// Creates the queues whose messages start functions of `template`, and those to which Lambda
    /// sends what they give up.
    #[must_use]
    pub fn new(template: &Template, outbox: Arc<Outbox>, messages: MessageQueues) -> Self {
        let names = template.functions.iter().flat_map(|function| {
            let of_events = match function.event_invoke_config.on_failure() {
                Some(Destination::Queue(name)) => Some(name.clone()),
                _ => None,
            };
            function.mappings.iter().map(|mapping| mapping.on_failure.clone()).chain(of_events)
        });
        let names = names.chain(messages.names().map(str::to_owned)).collect();
        Self { names: Arc::new(names), outbox, messages }
    }

    /// Returns a router of `POST /local/sqs`, below which a client may add the path of a queue.
    pub fn router(self) -> Router {
        let all = post(answer);
        let paths = [SQS_PATH.to_owned(), format!("{SQS_PATH}/"), format!("{SQS_PATH}/{{*queue}}")];
        paths.iter().fold(Router::new(), |router, path| router.route(path, all.clone())).with_state(self)
    }

    /// Sends a message to a queue, and returns its id.
    fn send(&self, queue: &str, body: String) -> Result<String, (&'static str, String)> {
        if body.len() > MAX_MESSAGE_BYTES {
            return Err(("InvalidParameterValue", format!("a message has at most {MAX_MESSAGE_BYTES} bytes")));
        }
        if let Some(refused) = body.chars().find(|&c| !is_taken(c)) {
            return Err(("InvalidMessageContents", format!("a message has no {:?}", refused.to_string())));
        }
        let id = self.messages.send(queue, body);
        id.ok_or_else(|| ("InvalidAddress", format!("{queue} starts no function")))
    }

    /// Returns the answer to a request for `target`, or the code of an error and its message.
    fn answer(&self, target: &str, body: &[u8]) -> Result<Value, (&'static str, String)> {
        let request: Request =
            serde_json::from_slice(body).map_err(|error| ("InvalidParameterValue", error.to_string()))?;
        let queue = request.queue_url.rsplit(['/', ':']).next().unwrap_or_default();
        if !self.names.contains(queue) {
            let names = self.names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let message = format!("QueueUrl ends in {queue:?}, but the functions have only these queues: {names}");
            return Err(("QueueDoesNotExist", message));
        }
        let hidden_for = Duration::from_secs(request.visibility_timeout.unwrap_or(DEFAULT_VISIBILITY_TIMEOUT));
        match target {
            "AmazonSQS.SendMessage" => Ok(json!({"MessageId": self.send(queue, request.message_body)?})),
            "AmazonSQS.SendMessageBatch" => {
                let (mut successful, mut failed) = (vec![], vec![]);
                for Entry { id, message_body } in request.entries {
                    match self.send(queue, message_body) {
                        Ok(message) => successful.push(json!({"Id": id, "MessageId": message})),
                        Err((code, message)) => {
                            failed.push(json!({"Id": id, "Code": code, "Message": message, "SenderFault": true}));
                        }
                    }
                }
                Ok(json!({"Successful": successful, "Failed": failed}))
            }
            "AmazonSQS.StartMessageMoveTask" => {
                let Some(source) = self.messages.with_dead_letters(queue) else {
                    return Err(("ResourceNotFoundException", format!("{queue} is no dead-letter queue")));
                };
                for message in self.outbox.receive(queue, usize::MAX, Duration::ZERO) {
                    self.outbox.delete(&message.id);
                    self.messages.send(source, message.message.to_string());
                }
                Ok(json!({"TaskHandle": queue}))
            }
            "AmazonSQS.ReceiveMessage" => {
                let max = request.max_number_of_messages.unwrap_or(1);
                if !(1..=10).contains(&max) {
                    return Err(("InvalidParameterValue", "MaxNumberOfMessages must be 1 to 10".to_owned()));
                }
                let messages = self.outbox.receive(queue, max, hidden_for).into_iter().map(|message| {
                    json!({"MessageId": message.id, "ReceiptHandle": message.id, "Body": message.message.to_string()})
                });
                Ok(json!({"Messages": messages.collect::<Vec<_>>()}))
            }
            "AmazonSQS.DeleteMessage" => {
                self.outbox.delete(&request.receipt_handle);
                Ok(json!({}))
            }
            "AmazonSQS.ChangeMessageVisibility" if self.outbox.hide(&request.receipt_handle, hidden_for) => {
                Ok(json!({}))
            }
            "AmazonSQS.ChangeMessageVisibility" => {
                Err(("ReceiptHandleIsInvalid", "no message has this ReceiptHandle".to_owned()))
            }
            _ => Err(("UnsupportedOperation", format!("the local SQS has no operation {target:?}"))),
        }
    }
}

/// Returns whether SQS takes a message with this character:
/// <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html>
const fn is_taken(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

async fn answer(State(sqs): State<Sqs>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    let kind = [("content-type", "application/x-amz-json-1.0")];
    match sqs.answer(target, &body) {
        Ok(answer) => (kind, Json(answer)).into_response(),
        Err((code, message)) => {
            let error = json!({"__type": format!("com.amazonaws.sqs#{code}"), "message": message});
            (StatusCode::BAD_REQUEST, kind, Json(error)).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;
    use crate::lambda::runtime::InvokeError;

    const TEMPLATE: &str = r#"
Resources:
  LookFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: look/
      EventInvokeConfig: {DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}}}
  Lost: {Type: "AWS::SQS::Queue"}
  SendFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: send/
      Events:
        Queue:
          Type: SQS
          Properties: {Queue: !GetAtt Mail.Arn, BatchSize: 2, FunctionResponseTypes: [ReportBatchItemFailures]}
  Mail:
    Type: AWS::SQS::Queue
    Properties: {RedrivePolicy: {deadLetterTargetArn: !GetAtt FailedMail.Arn, maxReceiveCount: 1}}
  FailedMail: {Type: "AWS::SQS::Queue"}
"#;

    fn sqs() -> Sqs {
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let invoke = |function: &str, _: &str, _: axum::body::Bytes| {
            assert_eq!(function, "send");
            async { Err(InvokeError::Crashed("it ended".into())) }.boxed()
        };
        let outbox: Arc<Outbox> = Arc::default();
        let messages = MessageQueues::new(&template, Arc::new(invoke), outbox.clone(), None).unwrap();
        Sqs::new(&template, outbox, messages)
    }

    fn call(sqs: &Sqs, operation: &str, mut members: Value) -> Result<Value, (&'static str, String)> {
        if members["QueueUrl"].is_null() {
            members["QueueUrl"] = json!("http://127.0.0.1:3000/local/sqs/Lost");
        }
        sqs.answer(&format!("AmazonSQS.{operation}"), members.to_string().as_bytes())
    }

    /// Returns the messages of a queue in the order in which they are received, each with its id.
    fn receive(sqs: &Sqs, members: Value) -> Vec<(String, Value)> {
        let answer = call(sqs, "ReceiveMessage", members).unwrap();
        let parse = |message: &Value| {
            assert_eq!(message["ReceiptHandle"], message["MessageId"]);
            let body = serde_json::from_str(message["Body"].as_str().unwrap()).unwrap();
            (message["MessageId"].as_str().unwrap().to_owned(), body)
        };
        answer["Messages"].as_array().unwrap().iter().map(parse).collect()
    }

    #[tokio::test]
    async fn refuses_what_sqs_does_not_take() {
        let sqs = sqs();
        let mail = |members: Value| {
            json!({"QueueUrl": "x/Mail"})
                .as_object()
                .unwrap()
                .clone()
                .into_iter()
                .chain(members.as_object().unwrap().clone())
                .collect::<Value>()
        };
        for (body, code) in [
            ("a\u{ffff}".to_owned(), "InvalidMessageContents"),
            ("a\u{1}".to_owned(), "InvalidMessageContents"),
            ("a".repeat(MAX_MESSAGE_BYTES + 1), "InvalidParameterValue"),
        ] {
            assert_eq!(call(&sqs, "SendMessage", mail(json!({"MessageBody": body}))).unwrap_err().0, code);
            let entries = json!({"Entries": [{"Id": "0", "MessageBody": body}, {"Id": "1", "MessageBody": "{}\u{fffd}\u{10ffff}"}]});
            let answer = call(&sqs, "SendMessageBatch", mail(entries)).unwrap();
            assert_eq!((&answer["Failed"][0]["Id"], &answer["Failed"][0]["Code"]), (&json!("0"), &json!(code)));
            assert_eq!(
                (&answer["Successful"][0]["Id"], answer["Successful"].as_array().unwrap().len()),
                (&json!("1"), 1)
            );
        }
    }

    #[test]
    fn a_received_message_is_hidden_until_it_is_released_or_deleted() {
        let sqs = sqs();
        for number in 1..=3 {
            sqs.outbox.fail("look", "Lost", json!(number));
        }
        sqs.outbox.fail("look", "other", json!(4));
        let first = receive(&sqs, json!({"MaxNumberOfMessages": 2}));
        assert_eq!(first.iter().map(|(_, body)| body).collect::<Vec<_>>(), [&json!(1), &json!(2)]);
        let second = receive(&sqs, json!({}));
        assert_eq!(second[0].1, json!(3));
        assert!(receive(&sqs, json!({})).is_empty());

        call(&sqs, "DeleteMessage", json!({"ReceiptHandle": first[0].0})).unwrap();
        call(&sqs, "ChangeMessageVisibility", json!({"ReceiptHandle": first[1].0, "VisibilityTimeout": 0})).unwrap();
        assert_eq!(receive(&sqs, json!({"MaxNumberOfMessages": 10, "VisibilityTimeout": 0})), first[1..]);
        assert_eq!(receive(&sqs, json!({"MaxNumberOfMessages": 10})), first[1..], "it was hidden for 0 s");
        let failures = sqs.outbox.contents()["failures"].clone();
        assert_eq!(failures.as_array().unwrap().len(), 3, "{failures}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_starts_a_function_and_can_come_back_from_the_dead_letters() {
        let sqs = sqs();
        let entry = |id: &str, body: &str| json!({"Id": id, "MessageBody": body});
        let members = json!({"QueueUrl": "https://sqs/1/Mail", "Entries": [entry("0", "{}"), entry("1", "2")]});
        let sent = call(&sqs, "SendMessageBatch", members).unwrap();
        assert_eq!((&sent["Successful"][1]["Id"], &sent["Failed"]), (&json!("1"), &json!([])));
        let alone = json!({"QueueUrl": "https://sqs/1/Mail", "MessageBody": "3"});
        assert!(call(&sqs, "SendMessage", alone).unwrap()["MessageId"].is_string());
        sqs.messages.idle().await;
        let dead = json!({"QueueUrl": "x/FailedMail", "MaxNumberOfMessages": 10, "VisibilityTimeout": 0});
        let bodies = || receive(&sqs, dead.clone()).into_iter().map(|(_, body)| body).collect::<Vec<_>>();
        assert_eq!(bodies(), [json!({}), json!(2), json!(3)]);
        let moved = |arn: &str| {
            sqs.answer("AmazonSQS.StartMessageMoveTask", json!({ "SourceArn": arn }).to_string().as_bytes())
        };
        moved("arn:aws:sqs:us-east-1:1:FailedMail").unwrap();
        sqs.messages.idle().await;
        assert_eq!((sqs.messages.sent(), bodies()), (6, vec![json!({}), json!(2), json!(3)]));
        assert_eq!(moved("arn:aws:sqs:us-east-1:1:Lost").unwrap_err().0, "ResourceNotFoundException");
    }

    #[test]
    fn an_error_names_what_is_wrong() {
        let sqs = sqs();
        for (operation, members, error) in [
            ("ReceiveMessage", json!({"QueueUrl": "http://a/other"}), "QueueUrl ends in \"other\", but the functions"),
            ("ReceiveMessage", json!({"MaxNumberOfMessages": 11}), "MaxNumberOfMessages must be 1 to 10"),
            ("ReceiveMessage", json!({"VisibilityTimeout": "x"}), "invalid type: string \"x\""),
            ("ChangeMessageVisibility", json!({"ReceiptHandle": "x"}), "no message has this ReceiptHandle"),
            ("PurgeQueue", json!({}), "the local SQS has no operation \"AmazonSQS.PurgeQueue\""),
        ] {
            let (_, message) = call(&sqs, operation, members).unwrap_err();
            assert!(message.starts_with(error), "{message}");
        }
    }
}
