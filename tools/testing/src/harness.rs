//! Runs the real binaries of functions on the sample data, one at a time. The benchmark measures
//! them, and the contract test counts their requests to DynamoDB. No stream is read, so nothing
//! else runs.

use std::collections::BTreeMap;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use aws_sdk_dynamodb::Client;
use axum::body::Bytes;
use dynoxide::Database;
use futures_util::FutureExt as _;
use local::lambda::message_queues::MessageQueues;
use local::lambda::runtime::{self, Endpoints, Invocation};
use local::sample::{self, World};
use local::services::dynamodb::{self, Engine};
use local::services::outbox::{self, Outbox};
use local::services::s3::S3;
use local::services::sqs::Sqs;
use local::template::{Function, Template};
use local::{listener, stack};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::task::JoinHandle;

/// An engine with the tables of template.yaml, S3 with its buckets, and the binaries of the
/// functions.
pub struct Harness {
    template: Template,
    root: PathBuf,
    functions: PathBuf,
    engine: Engine,
    s3: S3,
    snapshot: TempDir,
    api: String,
    messages: MessageQueues,
    server: JoinHandle<std::io::Result<()>>,
}

fn world() -> World {
    World::of_events()
}

impl Harness {
    /// Returns a harness with the data that the events name. It keeps a snapshot of it. The
    /// binaries of the functions are in the directory `functions`.
    pub fn new(functions: PathBuf) -> Result<Self> {
        let harness = Self::empty(functions)?;
        for table in &harness.template.tables {
            dynamodb::import(harness.database(), &table.name, world().items_of(&table.logical_id))?;
        }
        harness.snapshot()?;
        Ok(harness)
    }

    /// Returns a harness with empty tables and without a snapshot.
    pub fn empty(functions: PathBuf) -> Result<Self> {
        let path = Template::find()?;
        let template = Template::read(&path)?;
        let listen = || listener::bind(Ipv4Addr::LOCALHOST.into(), 0);
        let engine = Engine::start(listen()?, None)?;
        dynamodb::create_tables(engine.database(), &template)?;

        // No function is started by an object.
        let s3 = S3::start(listen()?, &template.buckets, None, |_| {})?;

        let listener = listen()?;
        let api = listener::url(&listener)?;
        let outbox: Arc<Outbox> = Arc::default();
        // The messages that functions send start no function.
        let discard = |_: &str, _: &str, _: Bytes| {
            async { Ok(Invocation { payload: "{}".into(), function_error: false }) }.boxed()
        };
        let messages = MessageQueues::new(&template, Arc::new(discard), outbox.clone(), None)?;
        let router = outbox::router(outbox.clone()).merge(Sqs::new(&template, outbox, messages.clone()).router());
        let server = tokio::spawn(axum::serve(listener, router).into_future());

        let root = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { template, root, functions, engine, s3, snapshot: tempfile::tempdir()?, api, messages, server })
    }

    /// Returns the template of the project.
    #[must_use]
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Returns the URL of DynamoDB.
    #[must_use]
    pub fn dynamodb(&self) -> &str {
        self.engine.endpoint()
    }

    /// Returns the database of the engine.
    #[must_use]
    pub fn database(&self) -> &Database {
        self.engine.database()
    }

    /// Returns S3. A snapshot of the tables does not contain its objects.
    #[must_use]
    pub fn s3(&self) -> &S3 {
        &self.s3
    }

    /// Returns the number of messages that functions have sent to queues.
    #[must_use]
    pub fn sent_messages(&self) -> u64 {
        self.messages.sent()
    }

    /// Returns a client of the engine.
    #[must_use]
    pub fn client(&self) -> Client {
        stack::client(self.dynamodb())
    }

    /// Replaces the snapshot by the present contents of the tables.
    pub fn snapshot(&self) -> Result<()> {
        let file = self.snapshot_file()?;
        let _ = fs::remove_file(&file);
        self.database().vacuum_into(&file).context("cannot take a snapshot of the tables")
    }

    /// Restores the tables from the snapshot, and makes the engine forget the tokens of
    /// transactions. It reads each table once, because the first read after a restore is slower
    /// than DynamoDB ever is.
    pub fn restore(&self) -> Result<()> {
        self.database().restore_from(&self.snapshot_file()?).context("cannot restore the tables")?;
        for table in &self.template.tables {
            let scan = serde_json::from_value(json!({"TableName": table.name, "Limit": 1}))?;
            self.database().scan(scan).with_context(|| format!("cannot read the table {}", table.name))?;
        }
        Ok(())
    }

    /// Returns the sample event of a function, `events/<function>.json`. The function answers it
    /// with success on the sample data.
    pub fn event(&self, function: &str) -> Result<Bytes> {
        let file = self.root.join(format!("events/{function}.json"));
        fs::read(&file).map(Bytes::from).with_context(|| format!("cannot read {}", file.display()))
    }

    /// Makes the changes that the records of a stream event describe, because DynamoDB sends a
    /// record after the change. Does nothing for other events.
    pub fn apply_stream_changes(&self, function: &Function, event: &Value) -> Result<()> {
        for record in event["Records"].as_array().into_iter().flatten() {
            let record: Value = match record["eventSource"].as_str() {
                Some("aws:s3") => continue,
                Some("aws:sqs") => serde_json::from_str(record["body"].as_str().unwrap_or_default())?,
                _ => record.clone(),
            };
            // A message of a queue need not be a record.
            if record["dynamodb"].is_null() {
                continue;
            }
            let table = function.environment.get("TABLE_NAME");
            let table = table.with_context(|| format!("{} has no TABLE_NAME", function.name))?;
            let change = &record["dynamodb"];
            if record["eventName"] == "REMOVE" {
                let request = serde_json::from_value(json!({"TableName": table, "Key": change["Keys"]}))?;
                self.database().delete_item(request)?;
            } else {
                let request = serde_json::from_value(json!({"TableName": table, "Item": change["NewImage"]}))?;
                self.database().put_item(request)?;
            }
        }
        Ok(())
    }

    /// Puts the objects of the photos into the bucket of the photos.
    pub async fn put_objects(&self) -> Result<()> {
        self.s3.import(&self.template.bucket(sample::PHOTOS_BUCKET)?.name, world().objects()?).await
    }

    /// Returns the path of a function's binary.
    #[must_use]
    pub fn binary(&self, function: &Function) -> PathBuf {
        self.functions.join(&function.name)
    }

    /// Returns the environment of a function with DynamoDB at this URL, without the address of the
    /// Runtime API.
    #[must_use]
    pub fn environment(&self, function: &Function, dynamodb: &str) -> BTreeMap<String, String> {
        let (s3, api) = (self.s3.endpoint().to_owned(), self.api.clone());
        let endpoints = Endpoints { dynamodb: dynamodb.to_owned(), s3, api };
        runtime::environment(function, &self.functions, &endpoints)
    }

    /// Returns the command that starts a function with DynamoDB at this URL.
    #[must_use]
    pub fn command(&self, function: &Function, dynamodb: &str) -> Command {
        let mut command = Command::new(self.binary(function));
        command.env_clear().envs(self.environment(function, dynamodb));
        command
    }

    fn snapshot_file(&self) -> Result<String> {
        let file = self.snapshot.path().join("tables.sqlite");
        file.to_str().map(str::to_owned).with_context(|| format!("{} is not UTF-8", file.display()))
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        self.server.abort();
    }
}
