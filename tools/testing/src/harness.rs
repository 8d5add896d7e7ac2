//! One function at a time, on the sample data: what measuring a function, and holding it to what it may ask of
//! DynamoDB, have in common. No stream is read, so nothing else goes on.

use std::collections::BTreeMap;
use std::fs;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use aws_sdk_dynamodb::Client;
use axum::Router;
use axum::body::Bytes;
use dynoxide::Database;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::task::JoinHandle;

use local::lambda::runtime;
use local::lambda::runtime::Endpoints;
use local::services::dynamodb;
use local::services::dynamodb::Engine;
use local::services::outbox;
use local::services::outbox::SES_PATH;
use local::template::{Function, Template};
use local::{net, sample, stack};

/// An engine with the tables of template.yaml and the sample data in them, and the functions' binaries.
pub struct Workbench {
    template: Template,
    root: PathBuf,
    functions: PathBuf,
    engine: Engine,
    as_filled: TempDir,
    ses: String,
    server: JoinHandle<std::io::Result<()>>,
}

impl Workbench {
    /// Fills an engine. The functions' binaries lie in `functions`.
    pub fn new(functions: PathBuf) -> Result<Self, String> {
        let workbench = Self::empty(functions)?;
        for table in &workbench.template.tables {
            dynamodb::import(workbench.database(), &table.name, sample::items(&table.logical_id)).map_err(one_line)?;
        }
        workbench.keep()?;
        Ok(workbench)
    }

    /// With nothing in the tables, and nothing kept.
    pub fn empty(functions: PathBuf) -> Result<Self, String> {
        let path = Template::find().map_err(one_line)?;
        let template = Template::read(&path).map_err(one_line)?;
        let listen = || net::bind(Ipv4Addr::LOCALHOST.into(), 0).map_err(|error| error.to_string());
        let engine = Engine::start(listen()?, None).map_err(one_line)?;
        dynamodb::create_tables(engine.database(), &template).map_err(one_line)?;

        let listener = listen()?;
        let ses = format!("{}{SES_PATH}", net::url(&listener).map_err(|error| error.to_string())?);
        let router: Router = outbox::ses(std::sync::Arc::default());
        let server = tokio::spawn(axum::serve(listener, router).into_future());

        let as_filled = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = path.parent().map(std::path::Path::to_owned).unwrap_or_default();
        Ok(Self { template, root, functions, engine, as_filled, ses, server })
    }

    /// The template that it was made from.
    #[must_use]
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Where DynamoDB is.
    #[must_use]
    pub fn dynamodb(&self) -> &str {
        self.engine.endpoint()
    }

    /// The database itself.
    #[must_use]
    pub fn database(&self) -> &Database {
        self.engine.database()
    }

    /// A client of it, past all functions.
    #[must_use]
    pub fn client(&self) -> Client {
        stack::client(self.dynamodb())
    }

    /// From now on, [`Workbench::restore`] brings back what is in the tables now.
    pub fn keep(&self) -> Result<(), String> {
        let file = self.file()?;
        let _ = fs::remove_file(&file);
        self.engine.database().vacuum_into(&file).map_err(|error| format!("cannot keep the tables: {error}"))
    }

    /// Makes the tables what they were when they were kept, at first the sample data, and has the engine forget the tokens of
    /// transactions. It reads each of them once: a database that wakes up is nothing that DynamoDB has.
    pub fn restore(&self) -> Result<(), String> {
        let database = self.engine.database();
        database.restore_from(&self.file()?).map_err(|error| format!("cannot restore the tables: {error}"))?;
        for table in &self.template.tables {
            let scan = serde_json::from_value(json!({"TableName": table.name, "Limit": 1}));
            let scanned = database.scan(scan.map_err(|error| error.to_string())?);
            scanned.map_err(|error| format!("cannot read the table {}: {error}", table.name))?;
        }
        Ok(())
    }

    /// The function's event of `events/`, which it answers with success on the sample data.
    pub fn event(&self, function: &str) -> Result<Bytes, String> {
        let file = self.root.join(format!("events/{function}.json"));
        fs::read(&file).map(Bytes::from).map_err(|error| format!("cannot read {}: {error}", file.display()))
    }

    /// Makes the change that the function's event tells of, if it is one of a stream: DynamoDB tells of what has happened.
    pub fn follow(&self, function: &Function, event: &Value) -> Result<(), String> {
        for record in event["Records"].as_array().into_iter().flatten() {
            let mapping = function.mappings.first().ok_or_else(|| format!("{} has no stream", function.name))?;
            let (table, change) = (&mapping.table, &record["dynamodb"]);
            let failed = |error: &dyn ToString| format!("the record of {}: {}", function.name, error.to_string());
            if record["eventName"] == "REMOVE" {
                let request = json!({"TableName": table, "Key": change["Keys"]});
                let request = serde_json::from_value(request).map_err(|error| failed(&error))?;
                self.database().delete_item(request).map_err(|error| failed(&error))?;
            } else {
                let request = json!({"TableName": table, "Item": change["NewImage"]});
                let request = serde_json::from_value(request).map_err(|error| failed(&error))?;
                self.database().put_item(request).map_err(|error| failed(&error))?;
            }
        }
        Ok(())
    }

    /// The function's binary.
    #[must_use]
    pub fn binary(&self, function: &Function) -> PathBuf {
        self.functions.join(&function.name)
    }

    /// All that a function is told, but for the address of its Runtime API, with DynamoDB at this URL.
    #[must_use]
    pub fn environment(&self, function: &Function, dynamodb: &str) -> BTreeMap<String, String> {
        let endpoints = Endpoints { dynamodb: dynamodb.to_owned(), ses: self.ses.clone() };
        runtime::environment(function, &self.functions, &endpoints)
    }

    /// The command that starts the function with this environment.
    #[must_use]
    pub fn command(&self, function: &Function, dynamodb: &str) -> Command {
        let mut command = Command::new(self.binary(function));
        command.env_clear().envs(self.environment(function, dynamodb));
        command
    }

    fn file(&self) -> Result<String, String> {
        let file = self.as_filled.path().join("tables.sqlite");
        file.to_str().map(str::to_owned).ok_or_else(|| format!("{} is not UTF-8", file.display()))
    }
}

/// Returns an error and its causes as one line.
fn one_line(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}

impl Drop for Workbench {
    fn drop(&mut self) {
        self.server.abort();
    }
}
