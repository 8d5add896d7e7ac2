//! One function at a time, with a record of what it asks.

use std::sync::Arc;

use local::lambda::build;
use local::lambda::process::Process;
use local::template::{Function, Template};
use serde_json::{Value, json};
use testing::harness::Workbench;
use testing::recorder::{Recorder, Request};
use tokio::sync::OnceCell;

pub(crate) struct Bed {
    pub(crate) bench: Workbench,
    recorder: Recorder,
}

/// What a function asked, and what it answered.
pub(crate) struct Run {
    pub(crate) asked: Vec<Request>,
    /// The body of the answer; `null` where there is none.
    pub(crate) body: Value,
}

impl Bed {
    pub(crate) async fn new() -> Self {
        static BUILT: OnceCell<()> = OnceCell::const_new();
        let root = Template::find().unwrap().parent().unwrap().to_owned();
        BUILT.get_or_try_init(async || build::functions(&root).await).await.expect("the functions build");
        let bench = Workbench::new(build::directory().unwrap()).unwrap();
        let recorder = Recorder::start(bench.dynamodb()).unwrap();
        Self { bench, recorder }
    }

    pub(crate) fn template(&self) -> &Template {
        self.bench.template()
    }

    /// The function's event of `events/`.
    pub(crate) fn event(&self, function: &Function) -> Value {
        serde_json::from_slice(&self.bench.event(&function.name).unwrap()).unwrap()
    }

    /// Gives a function an event on the sample data, and expects success.
    pub(crate) async fn run(&self, function: &Function, event: &Value) -> Run {
        self.bench.restore().unwrap();
        self.bench.follow(function, event).unwrap();
        let name: Arc<str> = function.name.as_str().into();
        let mut process = Process::start(&name, self.bench.command(function, self.recorder.url())).unwrap();
        let arn: Arc<str> = format!("arn:aws:lambda:eu-west-1:123456789012:function:{name}").into();
        let id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
        let answer = process.invoke(id, &arn, event.to_string().into(), function.timeout).await;
        let answer = answer.unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        process.kill().await;

        let asked = self.recorder.take();
        let text = String::from_utf8_lossy(&answer.payload);
        let answer: Value = serde_json::from_str(&text).unwrap();
        let succeeded = match answer["statusCode"].as_u64() {
            Some(status) => (200..300).contains(&status),
            None => answer["batchItemFailures"] == json!([]),
        };
        assert!(succeeded, "{name} answers {text}");
        let body = answer["body"].as_str().filter(|body| !body.is_empty());
        Run { asked, body: body.map_or(Value::Null, |body| serde_json::from_str(body).unwrap()) }
    }
}

impl Run {
    /// Whether it answers with a page of a list.
    pub(crate) fn is_list(&self) -> bool {
        self.body.get("nextCursor").is_some()
    }

    /// How many entries the page has.
    pub(crate) fn entries(&self) -> usize {
        self.body.as_object().into_iter().flatten().filter_map(|(_, field)| field.as_array()).map(Vec::len).sum()
    }

    /// How many things it shows beside the list: the user or the photo that heads some lists.
    pub(crate) fn heads(&self) -> usize {
        self.body.as_object().into_iter().flatten().filter(|(_, field)| field.is_object()).count()
    }
}

/// The event, with another `limit` and `cursor`.
pub(crate) fn with_page(event: &Value, limit: usize, cursor: Option<&str>) -> Value {
    let query = event["rawQueryString"].as_str().unwrap();
    let others = query.split('&').filter(|parameter| !parameter.is_empty() && !parameter.starts_with("limit="));
    let page = [Some(format!("limit={limit}")), cursor.map(|cursor| format!("cursor={cursor}"))];
    let parameters: Vec<String> = others.map(str::to_owned).chain(page.into_iter().flatten()).collect();
    let mut event = event.clone();
    event["rawQueryString"] = parameters.join("&").into();
    event
}
