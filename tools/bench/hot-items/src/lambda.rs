//! Lambda: an execution environment serves one event at a time, and there are as many as events at
//! the same time.
//!
//! A new environment starts in no time, and their number has no limit. [`Functions::most`] says how
//! many a burst needs.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use anyhow::{Context as _, Result, anyhow};
use aws_sdk_dynamodb::config::SharedHttpClient;
use axum::body::Bytes;
use explore::Environment;
use local::lambda::runtime::{Invocation, InvokeError};
use local::template::{Function, Template};
use serde_json::Value;

/// The functions of template.yaml.
pub(crate) struct Functions {
    definitions: BTreeMap<String, Function>,
    http: SharedHttpClient,
    /// The environments that serve no event, by function.
    idle: RefCell<BTreeMap<String, Vec<Environment>>>,
    busy: Cell<usize>,
    most: Cell<usize>,
}

impl Functions {
    /// Makes functions that send their requests with `http`.
    pub(crate) fn new(template: &Template, http: SharedHttpClient) -> Self {
        let definitions = template.functions.iter().map(|function| (function.name.clone(), function.clone()));
        Self {
            definitions: definitions.collect(),
            http,
            idle: RefCell::default(),
            busy: Cell::new(0),
            most: Cell::new(0),
        }
    }

    /// Sends an event of API Gateway to a function. Returns the HTTP status.
    pub(crate) async fn respond(&self, name: &str, event: Value) -> Result<u16> {
        let environment = self.start(name)?;
        let status = environment.respond(event).await;
        self.stop(name, environment);
        status.map_err(|error| anyhow!(error))
    }

    async fn process(&self, name: &str, batch: Value) -> Result<Value> {
        let environment = self.start(name)?;
        let answer = environment.process(batch).await;
        self.stop(name, environment);
        answer.map_err(|error| anyhow!(error))
    }

    /// Sends a batch of a stream or of a queue to a function.
    pub(crate) async fn invoke(&self, name: &str, batch: &Bytes) -> Result<Invocation, InvokeError> {
        let crashed = |error: anyhow::Error| InvokeError::Crashed(error.to_string());
        let batch = serde_json::from_slice(batch).map_err(|error| crashed(error.into()))?;
        let answer = self.process(name, batch).await.map_err(crashed)?;
        Ok(Invocation { payload: answer.to_string().into(), function_error: false })
    }

    /// Returns the largest number of environments that were busy at the same time.
    pub(crate) fn most(&self) -> usize {
        self.most.get()
    }

    fn start(&self, name: &str) -> Result<Environment> {
        self.busy.set(self.busy.get() + 1);
        self.most.set(self.most.get().max(self.busy.get()));
        if let Some(environment) = self.idle.borrow_mut().get_mut(name).and_then(Vec::pop) {
            return Ok(environment);
        }
        let function = self.definitions.get(name).with_context(|| format!("there is no function {name}"))?;
        Ok(Environment::new(function, self.http.clone()))
    }

    fn stop(&self, name: &str, environment: Environment) {
        self.busy.set(self.busy.get() - 1);
        self.idle.borrow_mut().entry(name.to_owned()).or_default().push(environment);
    }
}
