//! Runs one function at a time as its own binary, and records its requests to DynamoDB.

use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use axum::http::{self, header};
use local::costs::Costs;
use local::gateway::router::Router;
use local::lambda::build;
use local::lambda::process::Process;
use local::template::{Function, Template};
use local::trace::Trace;
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::sync::OnceCell;

use crate::gateway::event;
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
    /// The body of the answer, or `null` if the answer has none or is a page of HTML.
    pub body: Value,
    /// The username of the caller, or `null` for an event that is no request of a user.
    pub caller: Value,
}

impl Runner {
    /// Builds the functions, once for all tests, and starts an engine and a recorder.
    pub async fn new() -> Result<Self> {
        static BUILT: OnceCell<()> = OnceCell::const_new();
        let template = Template::find()?;
        let root = template.parent().context("template.yaml has no parent directory")?;
        BUILT.get_or_try_init(async || build::functions(root).await).await?;
        let harness = Harness::new(build::directory()?)?;
        let recorder = Recorder::start(harness.dynamodb())?;
        Ok(Self { harness, recorder })
    }

    /// Returns the template of the project.
    #[must_use]
    pub fn template(&self) -> &Template {
        self.harness.template()
    }

    /// Returns the sample event of a function in `events/`.
    pub fn event(&self, function: &Function) -> Result<Value> {
        Ok(serde_json::from_slice(&self.harness.event(&function.name)?)?)
    }

    /// Returns the function that answers a request of a user, and the event that the gateway makes
    /// of the request.
    pub fn request(&self, method: &str, caller: &str, uri: &str) -> Result<(&Function, Value)> {
        let request =
            http::Request::builder().method(method).uri(uri).header(header::HOST, "localhost").body(vec![])?;
        let claims = [("username".to_owned(), caller.to_owned())].into();
        let router = Router::new(self.template())?;
        let (name, event) = event(&router, request, &claims, OffsetDateTime::now_utc())?;
        let function = self.template().functions.iter().find(|function| function.name == name);
        Ok((function.with_context(|| format!("the template has no function {name}"))?, event))
    }

    /// Invokes a function with an event on the sample data. A function that fails or answers an
    /// error is an error.
    pub async fn run(&self, function: &Function, event: &Value) -> Result<Run> {
        self.harness.restore()?;
        self.harness.apply_stream_changes(function, event)?;
        if !function.notifications.is_empty() {
            self.harness.put_objects().await?;
        }
        let name: Arc<str> = function.name.as_str().into();
        let mut process = Process::start(&name, self.harness.command(function, self.recorder.url()))?;
        let arn: Arc<str> = format!("arn:aws:lambda:eu-west-1:123456789012:function:{name}").into();
        let id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
        let answer = process.invoke(id, &arn, &Trace::start(), event.to_string().into(), function.timeout).await;
        let answer = answer.map_err(|failure| anyhow::anyhow!("{name}: {failure:?}"))?;
        process.kill().await;

        let operations = self.recorder.take();
        let text = String::from_utf8_lossy(&answer.payload);
        let answer: Value = serde_json::from_str(&text)?;
        let succeeded = match answer["statusCode"].as_u64() {
            // open-picture answers with the address of the picture.
            Some(status) => (200..=302).contains(&status),
            None if function.reads_records() => answer["batchItemFailures"] == json!([]),
            // Lambda ignores the answer to an asynchronous event.
            None if function.triggers.is_empty() => answer.is_null(),
            // A trigger of the user pool allows what it gets by answering with it.
            None => answer == *event,
        };
        ensure!(succeeded, "{name} answers {text}");
        let is_page =
            answer["headers"]["content-type"].as_str().is_some_and(|content| content.starts_with("text/html"));
        let body = answer["body"].as_str().filter(|body| !body.is_empty() && !is_page);
        let caller = event["requestContext"]["authorizer"]["jwt"]["claims"]["username"].clone();
        Ok(Run { operations, body: body.map_or(Ok(Value::Null), serde_json::from_str)?, caller })
    }
}

impl Run {
    /// Returns what the requests cost.
    #[must_use]
    pub fn costs(&self) -> Costs {
        Costs {
            requests: self.operations.len(),
            reads: self.operations.iter().map(|request| request.units.read).sum(),
            writes: self.operations.iter().map(|request| request.units.write).sum(),
        }
    }

    /// Returns whether the answer is a page of a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.body.get("nextCursor").is_some()
    }

    /// Returns the number of entries of the page.
    #[must_use]
    pub fn entries(&self) -> usize {
        let comments = self.body["comments"].as_object();
        let fields = self.body.as_object().into_iter().chain(comments).flatten();
        fields.filter_map(|(_, field)| field.as_array()).map(Vec::len).sum()
    }

    /// Returns the number of items that the answer shows beside the list: some lists begin with a
    /// user or a photo. The cards of people are in no list.
    #[must_use]
    pub fn heads(&self) -> usize {
        let fields = self.body.as_object().into_iter().flatten();
        fields.filter(|(name, field)| field.is_object() && !["people", "comments"].contains(&name.as_str())).count()
    }
}

/// Returns an event with another `limit` and `cursor`.
#[must_use]
pub fn with_page(event: &Value, limit: usize, cursor: Option<&str>) -> Value {
    let query = event["rawQueryString"].as_str().unwrap_or_default();
    let others = query.split('&').filter(|parameter| !parameter.is_empty() && !parameter.starts_with("limit="));
    let page = [Some(format!("limit={limit}")), cursor.map(|cursor| format!("cursor={cursor}"))];
    let parameters: Vec<String> = others.map(str::to_owned).chain(page.into_iter().flatten()).collect();
    let mut event = event.clone();
    event["rawQueryString"] = parameters.join("&").into();
    event
}
