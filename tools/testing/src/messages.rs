//! Amazon SQS for one test.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use futures_util::FutureExt as _;
use local::lambda::message_queues::MessageQueues;
use local::lambda::runtime::Invocation;
use local::lambda::variables::SQS_PATH;
use local::listener;
use local::services::sqs::Sqs;
use local::template::Template;
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::Fixture;

/// The queues of template.yaml, whose messages a test gets in the place of the functions.
pub struct Messages {
    endpoint: String,
    queues: MessageQueues,
    taken: Arc<Mutex<Vec<(String, Value)>>>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Messages {
    /// Starts the queues on a free port.
    #[must_use]
    pub fn start() -> Self {
        let template = Template::find().and_then(|path| Template::read(&path)).expect("template.yaml");
        let taken = Arc::new(Mutex::new(vec![]));
        let to = taken.clone();
        let take = move |_: &str, _: &str, event: Bytes| {
            let event: Value = serde_json::from_slice(&event).expect("an event");
            for record in event["Records"].as_array().into_iter().flatten() {
                let text = |name: &str| record[name].as_str().unwrap_or_default();
                let queue = text("eventSourceARN").rsplit(':').next().unwrap_or_default().to_owned();
                let body = serde_json::from_str(text("body")).expect("a record");
                to.lock().unwrap_or_else(PoisonError::into_inner).push((queue, body));
            }
            async { Ok(Invocation { payload: "{}".into(), function_error: false }) }.boxed()
        };
        let queues = MessageQueues::new(&template, Arc::new(take), Arc::default(), None).expect("queues");
        let listener = listener::bind(Ipv4Addr::LOCALHOST.into(), 0).expect("a free port");
        let endpoint = format!("{}{SQS_PATH}", listener::url(&listener).expect("a URL"));
        let router = Sqs::new(&template, Arc::default(), queues.clone()).router();
        let server = tokio::spawn(axum::serve(listener, router).into_future());
        Self { endpoint, queues, taken, server }
    }

    /// Has the function of a fixture find the queues.
    pub fn connect(&self, fixture: &Fixture) {
        fixture.connect("SQS", &self.endpoint);
    }

    /// Returns the messages that were sent since the last call, each with the name of its queue, in
    /// the order of both.
    pub async fn take(&self) -> Vec<(String, Value)> {
        self.queues.idle().await;
        let mut taken = std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner));
        taken.sort_by_cached_key(|(queue, body)| (queue.clone(), body.to_string()));
        taken
    }

    /// Stops serving, so that nobody can send a message.
    pub fn stop(&self) {
        self.server.abort();
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        self.server.abort();
    }
}
