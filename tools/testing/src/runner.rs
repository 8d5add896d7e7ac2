//! Runs one function at a time as its own binary, and records its requests to DynamoDB.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use local::lambda::build;
use local::lambda::process::Process;
use local::template::{Function, Template};
use local::trace::Trace;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::harness::Harness;
use crate::recorder::{Recorder, Request};

/// The functions of template.yaml, and an engine with the sample data behind a recorder.
pub struct Runner {
    /// The engine and the binaries.
    pub harness: Harness,
    recorder: Recorder,
}

/// The requests and the answer of one invocation.
pub struct Run {
    /// The requests, in the order of their answers.
    pub operations: Vec<Request>,
    /// The body of the answer, or `null` if the answer has none.
    pub body: Value,
}

impl Runner {
    /// Builds the functions, once for all tests, and starts an engine and a recorder.
    pub async fn new() -> Self {
        static BUILT: OnceCell<()> = OnceCell::const_new();
        let root = Template::find().unwrap().parent().unwrap().to_owned();
        BUILT.get_or_try_init(async || build::functions(&root).await).await.expect("the functions build");
        let harness = Harness::new(build::directory().unwrap()).unwrap();
        let recorder = Recorder::start(harness.dynamodb()).unwrap();
        Self { harness, recorder }
    }

    /// Returns the template of the project.
    #[must_use]
    pub fn template(&self) -> &Template {
        self.harness.template()
    }

    /// Returns the sample event of a function in `events/`.
    #[must_use]
    pub fn event(&self, function: &Function) -> Value {
        serde_json::from_slice(&self.harness.event(&function.name).unwrap()).unwrap()
    }

    /// Invokes a function with an event on the sample data. Panics if the function fails.
    pub async fn run(&self, function: &Function, event: &Value) -> Run {
        self.harness.restore().unwrap();
        self.harness.apply_stream_changes(function, event).unwrap();
        if !function.notifications.is_empty() {
            self.harness.put_objects().await.unwrap();
        }
        let name: Arc<str> = function.name.as_str().into();
        let mut process = Process::start(&name, self.harness.command(function, self.recorder.url())).unwrap();
        let arn: Arc<str> = format!("arn:aws:lambda:eu-west-1:123456789012:function:{name}").into();
        let id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
        let answer = process.invoke(id, &arn, &Trace::start(), event.to_string().into(), function.timeout).await;
        let answer = answer.unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        process.kill().await;

        let operations = self.recorder.take();
        let text = String::from_utf8_lossy(&answer.payload);
        let answer: Value = serde_json::from_str(&text).unwrap();
        let succeeded = match answer["statusCode"].as_u64() {
            Some(status) => (200..300).contains(&status),
            None if !function.mappings.is_empty() => answer["batchItemFailures"] == json!([]),
            // Lambda ignores the answer to an asynchronous event.
            None if function.triggers.is_empty() => answer.is_null(),
            // A trigger of the user pool allows what it gets by answering with it.
            None => answer == *event,
        };
        assert!(succeeded, "{name} answers {text}");
        let body = answer["body"].as_str().filter(|body| !body.is_empty());
        Run { operations, body: body.map_or(Value::Null, |body| serde_json::from_str(body).unwrap()) }
    }
}

impl Run {
    /// Returns whether the answer is a page of a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.body.get("nextCursor").is_some()
    }

    /// Returns the number of entries of the page.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.body.as_object().into_iter().flatten().filter_map(|(_, field)| field.as_array()).map(Vec::len).sum()
    }

    /// Returns the number of items that the answer shows beside the list: some lists begin with a user or a photo.
    #[must_use]
    pub fn heads(&self) -> usize {
        self.body.as_object().into_iter().flatten().filter(|(_, field)| field.is_object()).count()
    }
}

/// Returns an event with another `limit` and `cursor`.
#[must_use]
pub fn with_page(event: &Value, limit: usize, cursor: Option<&str>) -> Value {
    let query = event["rawQueryString"].as_str().unwrap();
    let others = query.split('&').filter(|parameter| !parameter.is_empty() && !parameter.starts_with("limit="));
    let page = [Some(format!("limit={limit}")), cursor.map(|cursor| format!("cursor={cursor}"))];
    let parameters: Vec<String> = others.map(str::to_owned).chain(page.into_iter().flatten()).collect();
    let mut event = event.clone();
    event["rawQueryString"] = parameters.join("&").into();
    event
}
