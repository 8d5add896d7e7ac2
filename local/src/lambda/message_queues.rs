//! The queues whose messages start functions. [Lambda polls a
//! queue](https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html), invokes the function with
//! batches of messages, and leaves those that it reports as failed in the queue. A message that was
//! received too often goes to the dead-letter queue.
//!
//! A failed message comes again after [`RETRY_PAUSE`]. On AWS, it comes after the visibility
//! timeout of the queue. With a data directory, messages survive the end of the stack.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Result;
use axum::body::Bytes;
use serde_json::{Value, json};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinSet,
    time::sleep,
};
use uuid::Uuid;

use crate::data_dir;
use crate::lambda::runtime::{Invoke, answer, reported_failures};
use crate::services::outbox::Outbox;
use crate::template::{Queue, Template};

/// The pause before a failed message comes again.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The number of batches of a queue that are processed at the same time, unless the template sets a
/// smaller maximum. Lambda [begins with
/// five](https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html).
const MAX_CONCURRENT_BATCHES: usize = 5;

/// The queues of a template whose messages start functions.
#[derive(Clone)]
pub struct MessageQueues(Arc<Inner>);

struct Inner {
    queues: BTreeMap<String, Waiting>,
    invoke: Arc<Invoke>,
    outbox: Arc<Outbox>,
    /// The deliveries; `None` after the shutdown.
    tasks: Mutex<Option<JoinSet<()>>>,
    unsettled: watch::Sender<Unsettled>,
    /// The file with the bodies of these messages, each with the name of its queue.
    file: Option<PathBuf>,
}

/// The messages that are neither processed nor given up.
struct Unsettled {
    /// The number of all messages so far.
    sent: u64,
    /// The queue and the body of each message by its id.
    messages: BTreeMap<String, (String, String)>,
}

/// A queue and its messages that wait.
struct Waiting {
    function: String,
    queue: Queue,
    messages: Mutex<VecDeque<Message>>,
    batches: Semaphore,
}

struct Message {
    id: String,
    body: String,
    receives: u32,
}

impl Waiting {
    fn messages(&self) -> std::sync::MutexGuard<'_, VecDeque<Message>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the messages of the next batch.
    fn take(&self) -> Vec<Message> {
        let mut messages = self.messages();
        let number = messages.len().min(self.queue.batch_size);
        let taken = messages.drain(..number);
        taken.map(|message| Message { receives: message.receives + 1, ..message }).collect()
    }

    fn event(&self, messages: &[Message]) -> Bytes {
        let record = |message: &Message| {
            json!({
                "messageId": message.id,
                "receiptHandle": message.id,
                "body": message.body,
                "attributes": {"ApproximateReceiveCount": message.receives.to_string()},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": self.queue.arn,
                "awsRegion": crate::template::cloudformation::REGION,
            })
        };
        json!({"Records": messages.iter().map(record).collect::<Vec<_>>()}).to_string().into()
    }
}

impl MessageQueues {
    /// Creates the queues of the functions in `template`. Sends the messages again that are kept in a data
    /// directory, with the same ids, unless their queue is gone.
    pub fn new(template: &Template, invoke: Arc<Invoke>, outbox: Arc<Outbox>, data_dir: Option<&Path>) -> Result<Self> {
        let mut queues = BTreeMap::new();
        for function in &template.functions {
            for queue in &function.queues {
                let batches = queue.max_concurrency.unwrap_or(MAX_CONCURRENT_BATCHES).min(MAX_CONCURRENT_BATCHES);
                let (messages, batches) = (Mutex::default(), Semaphore::new(batches));
                let waiting = Waiting { function: function.name.clone(), queue: queue.clone(), messages, batches };
                queues.insert(queue.name.clone(), waiting);
            }
        }
        let file = data_dir.map(|directory| directory.join("messages.json"));
        let mut kept: BTreeMap<String, (String, String)> =
            file.as_deref().map(data_dir::read).transpose()?.unwrap_or_default();
        kept.retain(|_, (queue, _)| queues.contains_key(queue));
        let unsettled = watch::Sender::new(Unsettled { sent: kept.len() as u64, messages: kept.clone() });
        let tasks = Mutex::new(Some(JoinSet::new()));
        let queues = Self(Arc::new(Inner { queues, invoke, outbox, tasks, unsettled, file }));
        for (id, (queue, body)) in kept {
            queues.wait(&queue, id, body);
        }
        Ok(queues)
    }

    /// Returns the names of the queues and of their dead-letter queues.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.queues.values().flat_map(|waiting| [waiting.queue.name.as_str(), waiting.queue.dead_letters.as_str()])
    }

    /// Returns the name of the queue with these dead letters.
    pub(crate) fn with_dead_letters(&self, name: &str) -> Option<&str> {
        let mut queues = self.0.queues.values();
        queues.find(|waiting| waiting.queue.dead_letters == name).map(|waiting| waiting.queue.name.as_str())
    }

    /// Sends a message to the queue with this name. Returns its id, or `None` if no function reads
    /// such a queue.
    #[expect(clippy::must_use_candidate, reason = "most senders need no id")]
    pub fn send(&self, queue: &str, body: String) -> Option<String> {
        self.0.queues.get(queue)?;
        let id = Uuid::new_v4().to_string();
        self.change(|unsettled| {
            unsettled.sent += 1;
            unsettled.messages.insert(id.clone(), (queue.to_owned(), body.clone()));
        });
        self.wait(queue, id.clone(), body);
        Some(id)
    }

    /// Has a message wait for its first delivery.
    fn wait(&self, queue: &str, id: String, body: String) {
        let Some(waiting) = self.0.queues.get(queue) else { return };
        waiting.messages().push_back(Message { id, body, receives: 0 });
        self.spawn(queue, None);
    }

    /// Changes the messages that are not settled, also in the file. No other change begins meanwhile, so that no
    /// older text replaces a newer one.
    fn change(&self, change: impl FnOnce(&mut Unsettled)) {
        self.0.unsettled.send_modify(|unsettled| {
            change(unsettled);
            let Some(file) = &self.0.file else { return };
            if let Err(error) = data_dir::write(file, &unsettled.messages) {
                terminal::log("queues", &format!("cannot write {}: {error}", file.display()));
            }
        });
    }

    /// Delivers a batch of a queue, to which `again` is added after a pause.
    fn spawn(&self, queue: &str, again: Option<Vec<Message>>) {
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(tasks) = tasks.as_mut() else { return };
        while tasks.try_join_next().is_some() {}
        let (queues, queue) = (self.clone(), queue.to_owned());
        tasks.spawn(async move {
            let Some(waiting) = queues.0.queues.get(&queue) else { return };
            if let Some(messages) = again {
                sleep(RETRY_PAUSE).await;
                waiting.messages().extend(messages);
            }
            queues.deliver(waiting).await;
        });
    }

    /// Invokes the function with the next messages of a queue, if there are any.
    async fn deliver(&self, waiting: &Waiting) {
        let Ok(_slot) = waiting.batches.acquire().await else { return };
        let messages = waiting.take();
        if messages.is_empty() {
            return;
        }
        let id = Uuid::new_v4().to_string();
        let answer = answer((self.0.invoke)(&waiting.function, &id, waiting.event(&messages)).await);
        let index = |id: &str| messages.iter().position(|message| message.id == id);
        let failures = answer.filter(|answer| !answer.function_error);
        let failures = failures.and_then(|answer| reported_failures(&answer.payload, index));
        let (mut settled, mut given_up, mut again) = (vec![], vec![], vec![]);
        for (index, message) in messages.into_iter().enumerate() {
            let has_failed = failures.as_ref().is_none_or(|failures| failures.contains(&index));
            if has_failed && message.receives < waiting.queue.max_receives {
                again.push(message);
                continue;
            }
            settled.push(message.id.clone());
            if has_failed {
                given_up.push(message);
            }
        }
        for message in given_up {
            let Queue { name, dead_letters, .. } = &waiting.queue;
            terminal::log(
                &waiting.function,
                &format!("gave up a message of {name} after {} receives", message.receives),
            );
            let body = serde_json::from_str(&message.body).unwrap_or(Value::String(message.body));
            self.0.outbox.fail(&waiting.function, dead_letters, body);
        }
        if !again.is_empty() {
            self.spawn(&waiting.queue.name, Some(again));
        }
        self.change(|unsettled| unsettled.messages.retain(|id, _| !settled.contains(id)));
    }

    /// Returns the number of all messages that were sent so far.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.0.unsettled.borrow().sent
    }

    /// Waits until every message is processed or given up.
    pub async fn idle(&self) {
        // The sender is in `self`, so it cannot be closed.
        let _ = self.0.unsettled.subscribe().wait_for(|unsettled| unsettled.messages.is_empty()).await;
    }

    /// Stops the deliveries.
    pub(crate) async fn shutdown(&self) {
        let tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut tasks) = tasks {
            tasks.shutdown().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::lambda::runtime::{Invocation, InvokeError};

    const TEMPLATE: &str = r#"
Resources:
  SendFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: send/
      Events:
        Queue:
          Type: SQS
          Properties: {Queue: !GetAtt Waiting.Arn, BatchSize: 2, FunctionResponseTypes: [ReportBatchItemFailures]}
  Waiting:
    Type: AWS::SQS::Queue
    Properties: {RedrivePolicy: {deadLetterTargetArn: !GetAtt Failed.Arn, maxReceiveCount: 3}}
  Failed: {Type: "AWS::SQS::Queue"}
"#;

    /// Returns queues whose function fails on messages with the text `bad`, and the bodies of its
    /// events.
    fn queues(
        result: impl Fn(Vec<Value>) -> Result<Invocation, InvokeError> + Send + Sync + 'static,
    ) -> (MessageQueues, Arc<Mutex<Vec<Vec<String>>>>) {
        let events = Arc::new(Mutex::new(vec![]));
        let seen = events.clone();
        let invoke = move |function: &str, _: &str, event: Bytes| {
            assert_eq!(function, "send");
            let mut event: Value = serde_json::from_slice(&event).unwrap();
            let Value::Array(records) = event["Records"].take() else { panic!("{event}") };
            assert!(records.iter().all(|record| record["eventSourceARN"].as_str().unwrap().ends_with(":Waiting")));
            seen.lock()
                .unwrap()
                .push(records.iter().map(|record| record["body"].as_str().unwrap().to_owned()).collect());
            let answer = result(records);
            async move { answer }.boxed()
        };
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        (MessageQueues::new(&template, Arc::new(invoke), Arc::default(), None).unwrap(), events)
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is the answer of `queues`")]
    fn refuse_bad(records: Vec<Value>) -> Invocation {
        let bad = records.iter().filter(|record| record["body"] == "\"bad\"");
        let failures: Vec<Value> = bad.map(|record| json!({"itemIdentifier": record["messageId"]})).collect();
        let payload = json!({"batchItemFailures": failures}).to_string().into();
        Invocation { payload, function_error: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_message_comes_again_alone_and_goes_to_the_dead_letters() {
        let (queues, events) = queues(|records| Ok(refuse_bad(records)));
        for body in ["1", "\"bad\"", "2"] {
            queues.send("Waiting", body.to_owned()).unwrap();
        }
        assert_eq!(queues.send("Failed", String::new()), None);
        queues.idle().await;
        assert_eq!(queues.sent(), 3);
        let events = events.lock().unwrap().clone();
        assert_eq!(events, [vec!["1", "\"bad\""], vec!["2"], vec!["\"bad\""], vec!["\"bad\""]]);
        let failures = queues.0.outbox.contents()["failures"].clone();
        assert_eq!(failures, json!([{"function": "send", "queue": "Failed", "message": "bad"}]));
    }

    #[tokio::test(start_paused = true)]
    async fn an_error_of_the_function_fails_the_whole_batch() {
        let (queues, events) = queues(|_| Err(InvokeError::Crashed("it ended".into())));
        queues.send("Waiting", "1".to_owned()).unwrap();
        queues.send("Waiting", "2".to_owned()).unwrap();
        queues.idle().await;
        assert_eq!(events.lock().unwrap().iter().flatten().filter(|body| *body == "2").count(), 3);
        assert_eq!(queues.0.outbox.contents()["failures"].as_array().unwrap().len(), 2);
    }

    /// A queue with a maximum of two has two batches under way, however many messages wait.
    #[tokio::test(start_paused = true)]
    async fn a_queue_has_no_more_batches_under_way_than_its_maximum() {
        let (running, most) = (Arc::new(Mutex::new(0_u32)), Arc::new(Mutex::new(0)));
        let seen = most.clone();
        let invoke = move |_: &str, _: &str, _: Bytes| {
            let (running, most) = (running.clone(), most.clone());
            async move {
                let now = {
                    let mut running = running.lock().unwrap();
                    *running += 1;
                    *running
                };
                let highest = now.max(*most.lock().unwrap());
                *most.lock().unwrap() = highest;
                sleep(Duration::from_secs(1)).await;
                *running.lock().unwrap() -= 1;
                Ok(Invocation { payload: "null".into(), function_error: false })
            }
            .boxed()
        };
        let text = TEMPLATE.replace("BatchSize: 2,", "BatchSize: 1, ScalingConfig: {MaximumConcurrency: 2},");
        let template = Template::parse("t.yaml", &text).unwrap();
        let queues = MessageQueues::new(&template, Arc::new(invoke), Arc::default(), None).unwrap();
        for number in 0..7 {
            queues.send("Waiting", number.to_string()).unwrap();
        }
        queues.idle().await;
        assert_eq!(*seen.lock().unwrap(), 2);
    }

    /// Returns queues that keep their messages in a directory, whose function never answers, and its events.
    fn kept(directory: &Path) -> Result<(MessageQueues, Arc<Mutex<Vec<Value>>>)> {
        let events = Arc::new(Mutex::new(vec![]));
        let seen = events.clone();
        let invoke = move |_: &str, _: &str, event: Bytes| {
            seen.lock().unwrap().push(serde_json::from_slice(&event).unwrap());
            std::future::pending().boxed()
        };
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        let queues = MessageQueues::new(&template, Arc::new(invoke), Arc::default(), Some(directory))?;
        Ok((queues, events))
    }

    /// A function may recognize a message that comes again by its id.
    #[tokio::test(start_paused = true)]
    async fn a_message_of_the_data_directory_comes_again_with_its_id() {
        let directory = tempfile::tempdir().unwrap();
        let (queues, _) = kept(directory.path()).unwrap();
        let sent: BTreeMap<String, String> =
            ["1", "2", "3"].map(|body| (queues.send("Waiting", body.to_owned()).unwrap(), body.to_owned())).into();
        queues.shutdown().await;
        for _ in 0..2 {
            let (queues, events) = kept(directory.path()).unwrap();
            assert_eq!(queues.sent(), 3);
            sleep(Duration::from_secs(1)).await;
            let events = std::mem::take(&mut *events.lock().unwrap());
            let records = events.iter().flat_map(|event| event["Records"].as_array().unwrap());
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let received: BTreeMap<String, String> =
                records.map(|record| (text(&record["messageId"]), text(&record["body"]))).collect();
            assert_eq!(received, sent);
            queues.shutdown().await;
        }
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_parsed_is_an_error_that_names_it() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("messages.json"), "{").unwrap();
        let error = format!("{:#}", kept(directory.path()).err().unwrap());
        assert!(error.contains("messages.json: EOF"), "{error}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn the_file_has_a_message_as_soon_as_it_is_sent() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("messages.json");
        let (queues, _) = kept(directory.path()).unwrap();
        let mut senders = JoinSet::new();
        for _ in 0..4 {
            let (queues, file) = (queues.clone(), file.clone());
            senders.spawn(async move {
                for _ in 0..200 {
                    let id = queues.send("Waiting", "1".to_owned()).unwrap();
                    let messages: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
                    assert_eq!(messages[&id], json!(["Waiting", "1"]));
                }
            });
        }
        senders.join_all().await;
        queues.shutdown().await;
    }

    #[tokio::test(start_paused = true)]
    async fn reads_a_report_as_lambda_does() {
        for (answer, fails) in [
            ("", false),
            ("null", false),
            ("{}", false),
            (r#"{"batchItemFailures": null}"#, false),
            (r#"{"batchItemFailures": []}"#, false),
            ("no JSON", true),
            (r#"{"batchItemFailures": {}}"#, true),
            (r#"{"batchItemFailures": [{}]}"#, true),
            (r#"{"batchItemFailures": [{"itemIdentifier": ""}]}"#, true),
            (r#"{"batchItemFailures": [{"itemIdentifier": null}]}"#, true),
            (r#"{"batchItemFailures": [{"itemIdentifier": "another"}]}"#, true),
        ] {
            let (queues, events) =
                queues(move |_| Ok(Invocation { payload: answer.to_owned().into(), function_error: false }));
            for body in ["1", "2"] {
                queues.send("Waiting", body.to_owned()).unwrap();
            }
            queues.idle().await;
            let receives = if fails { 3 } else { 1 };
            assert_eq!(events.lock().unwrap().iter().flatten().count(), 2 * receives, "{answer}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_shutdown_ends_the_deliveries() {
        let (queues, events) = queues(|_| Err(InvokeError::Busy));
        queues.send("Waiting", "1".to_owned()).unwrap();
        queues.shutdown().await;
        queues.send("Waiting", "2".to_owned()).unwrap();
        assert!(events.lock().unwrap().len() <= 1);
    }
}
