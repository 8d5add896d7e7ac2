//! [Asynchronous
//! invocations](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html):
//! the queue in which Lambda keeps an event until the function has processed it, or gives it up.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::body::Bytes;
use serde_json::Value;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep},
};
use uuid::Uuid;

use crate::lambda::invocation_record::InvocationRecord;
use crate::lambda::runtime::{Invoke, answer, arn};
use crate::services::outbox::Outbox;
use crate::template::{Destination, EventInvokeConfig, Template};

/// The pause before each retry after an error of the function. Lambda waits 1 minute and 2 minutes.
const RETRY_PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(2)];
/// The pause before the first retry of an event for which the function had no free process. Each
/// further pause is twice as long, up to [`MAX_BUSY_PAUSE`].
const BUSY_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause while the function has no free process.
const MAX_BUSY_PAUSE: Duration = Duration::from_mins(5);

/// The events of asynchronous invocations. They are lost when the stack stops.
#[derive(Clone)]
pub struct EventQueue(Arc<Inner>);

struct Inner {
    /// The settings by the function's name.
    settings: HashMap<String, EventInvokeConfig>,
    invoke: Arc<Invoke>,
    outbox: Arc<Outbox>,
    /// One task for each event; `None` after the shutdown.
    tasks: Mutex<Option<JoinSet<()>>>,
    /// The number of all events so far.
    sent: AtomicU64,
    /// The number of events that are neither processed nor given up.
    pending: watch::Sender<usize>,
}

/// Counts an event as pending until it is dropped.
struct Pending(Arc<Inner>);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.pending.send_modify(|pending| *pending -= 1);
    }
}

impl EventQueue {
    /// Creates the queue of the functions in `template`.
    #[must_use]
    pub fn new(template: &Template, invoke: Arc<Invoke>, outbox: Arc<Outbox>) -> Self {
        let settings = template.functions.iter();
        let settings = settings.map(|function| (function.name.clone(), function.event_invoke_config.clone())).collect();
        Self(Arc::new(Inner {
            settings,
            invoke,
            outbox,
            tasks: Mutex::new(Some(JoinSet::new())),
            sent: AtomicU64::default(),
            pending: watch::Sender::default(),
        }))
    }

    /// Sends an event to the function with this name.
    pub fn send(&self, function: &str, event: Bytes) {
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(tasks) = tasks.as_mut() else { return };
        while tasks.try_join_next().is_some() {}
        self.0.sent.fetch_add(1, Ordering::SeqCst);
        self.0.pending.send_modify(|pending| *pending += 1);
        let (queue, function, pending) = (self.clone(), function.to_owned(), Pending(self.0.clone()));
        tasks.spawn(async move {
            queue.deliver(&function, event).await;
            drop(pending);
        });
    }

    /// Invokes the function until it succeeds or the event is given up.
    ///
    /// An error of the function is retried up to the maximum number of retries, a function without
    /// a free process up to the maximum age of the event. The request id [stays the
    /// same](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html).
    async fn deliver(&self, function: &str, event: Bytes) {
        let settings = self.0.settings.get(function).cloned().unwrap_or_default();
        let (id, sent) = (Uuid::new_v4().to_string(), Instant::now());
        let (mut invocations, mut busy_pause, mut last) = (0_u32, BUSY_PAUSE, None);
        let condition = loop {
            if sent.elapsed() > settings.max_age() {
                break "EventAgeExceeded";
            }
            match answer((self.0.invoke)(function, &id, event.clone()).await) {
                Some(answer) if !answer.function_error => return,
                Some(answer) => {
                    last = Some(answer);
                    invocations += 1;
                    if invocations > settings.retries {
                        break "RetriesExhausted";
                    }
                    sleep(RETRY_PAUSES[RETRY_PAUSES.len().min(invocations as usize) - 1]).await;
                }
                None => {
                    sleep(busy_pause).await;
                    busy_pause = (busy_pause * 2).min(MAX_BUSY_PAUSE);
                }
            }
        };
        terminal::log(function, &format!("gave up the asynchronous event {id}: {condition}"));
        let Some(destination) = settings.on_failure() else { return };
        let failure = InvocationRecord {
            request_id: &id,
            function_arn: &format!("{}:$LATEST", arn(function)),
            condition,
            invocations,
            function_error: last.as_ref().map(|answer| answer.function_error),
        };
        let mut record = failure.record();
        let json = |payload: &Bytes| serde_json::from_slice(payload).unwrap_or(Value::Null);
        record["requestPayload"] = json(&event);
        if let Some(answer) = last {
            record["responsePayload"] = json(&answer.payload);
        }
        match destination {
            Destination::Function(name) => self.send(name, record.to_string().into()),
            Destination::Queue(queue) => self.0.outbox.fail(function, queue, record),
        }
    }

    /// Returns the number of all events that were sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.0.sent.load(Ordering::SeqCst)
    }

    /// Waits until every event is processed or given up.
    pub(crate) async fn idle(&self) {
        // The sender is in `self`, so it cannot be closed.
        let _ = self.0.pending.subscribe().wait_for(|pending| *pending == 0).await;
    }

    /// Stops the deliveries. Events that are not processed are lost.
    pub(crate) async fn shutdown(&self) {
        let tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut tasks) = tasks {
            tasks.shutdown().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use serde_json::json;
    use tokio::sync::mpsc;

    use super::*;
    use crate::lambda::runtime::{Invocation, InvokeError};

    const TEMPLATE: &str = r#"
Resources:
  LookFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: look/
      EventInvokeConfig: {DestinationConfig: {OnFailure: {Type: Lambda, Destination: !GetAtt GiveUpFunction.Arn}}}
  GiveUpFunction:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: give-up/
      EventInvokeConfig:
        MaximumRetryAttempts: 0
        MaximumEventAgeInSeconds: 60
        DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Lost.Arn}}
  Lost: {Type: "AWS::SQS::Queue", Properties: {QueueName: lost}}
"#;

    /// A call of a function.
    struct Call {
        function: String,
        id: String,
        event: Value,
        at: Instant,
    }

    /// Returns a queue whose functions answer with `answer`, and their calls. The clock of the
    /// runtime has to be paused.
    fn queue(
        answer: impl Fn(&str) -> Result<Invocation, InvokeError> + Send + Sync + 'static,
    ) -> (EventQueue, mpsc::UnboundedReceiver<Call>) {
        let (send, calls) = mpsc::unbounded_channel();
        let invoke = move |function: &str, id: &str, event: Bytes| {
            let (function, id) = (function.to_owned(), id.to_owned());
            let answer = answer(&function);
            let event = serde_json::from_slice(&event).unwrap();
            send.send(Call { function, id, event, at: Instant::now() }).ok().unwrap();
            async move { answer }.boxed()
        };
        let template = Template::parse("t.yaml", TEMPLATE).unwrap();
        (EventQueue::new(&template, Arc::new(invoke), Arc::default()), calls)
    }

    fn failed() -> Invocation {
        Invocation { payload: r#"{"errorMessage":"no"}"#.into(), function_error: true }
    }

    fn done() -> Invocation {
        Invocation { payload: "null".into(), function_error: false }
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_is_retried_twice_and_then_goes_to_the_destination() {
        let (queue, mut calls) = queue(|function| Ok(if function == "look" { failed() } else { done() }));
        queue.send("look", r#"{"a":1}"#.into());
        queue.idle().await;
        assert_eq!(queue.sent(), 2);
        let tries = [calls.try_recv().unwrap(), calls.try_recv().unwrap(), calls.try_recv().unwrap()];
        assert!(tries.iter().all(|call| call.id == tries[0].id && call.event == json!({"a": 1})));
        assert_eq!(tries[1].at - tries[0].at, Duration::from_secs(1));
        assert_eq!(tries[2].at - tries[1].at, Duration::from_secs(2));
        let mut last = calls.try_recv().unwrap();
        assert_eq!(last.function, "give-up");
        assert_ne!(last.id, tries[0].id);
        assert!(last.event["timestamp"].take().is_string());
        let expected = json!({
            "version": "1.0",
            "timestamp": null,
            "requestContext": {
                "requestId": tries[0].id,
                "functionArn": "arn:aws:lambda:us-east-1:123456789012:function:look:$LATEST",
                "condition": "RetriesExhausted",
                "approximateInvokeCount": 3,
            },
            "requestPayload": {"a": 1},
            "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
            "responsePayload": {"errorMessage": "no"},
        });
        assert_eq!(last.event, expected);
        assert!(calls.try_recv().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_crash_and_a_timeout_are_errors_of_the_function() {
        for error in [InvokeError::Crashed("it ended".into()), InvokeError::TimedOut("it ended".into())] {
            let (queue, mut calls) =
                queue(move |function| if function == "look" { Err(error.clone()) } else { Ok(done()) });
            queue.send("look", "{}".into());
            queue.idle().await;
            for _ in 0..3 {
                assert_eq!(calls.try_recv().unwrap().function, "look");
            }
            assert_eq!(calls.try_recv().unwrap().event["responsePayload"]["errorMessage"], "it ended");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_function_gets_the_event_until_it_is_too_old() {
        let (queue, mut calls) = queue(|_| Err(InvokeError::Busy));
        queue.send("give-up", "{}".into());
        queue.idle().await;
        let mut pauses = vec![];
        let mut before = calls.try_recv().unwrap();
        while let Ok(call) = calls.try_recv() {
            pauses.push((call.at - before.at).as_secs());
            before = call;
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16]);
        let failures = queue.0.outbox.contents()["failures"].clone();
        assert_eq!((&failures[0]["function"], &failures[0]["queue"]), (&json!("give-up"), &json!("lost")));
        let message = &failures[0]["message"];
        assert_eq!(message["requestContext"]["condition"], "EventAgeExceeded");
        assert_eq!(message["requestContext"]["approximateInvokeCount"], 0);
        assert_eq!((message.get("responseContext"), message.get("responsePayload")), (None, None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_shutdown_ends_the_deliveries() {
        let (queue, mut calls) = queue(|_| Ok(failed()));
        queue.send("look", "{}".into());
        calls.recv().await.unwrap();
        queue.shutdown().await;
        queue.send("look", "{}".into());
        queue.idle().await;
        assert!(calls.try_recv().is_err());
    }
}
