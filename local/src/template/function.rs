//! The functions of the templates.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Result;

use crate::template::cloudformation::{Document, Node, get, property};
use crate::template::event_invoke_config::EventInvokeConfig;
use crate::template::event_source_mapping::EventSourceMapping;
use crate::template::notification::Notification;
use crate::template::policy::{self, Statement};
use crate::template::queue::{Queue, Redrive};
use crate::template::route::Route;
use crate::template::schedule::Schedule;
use crate::template::table::Table;

/// A Lambda function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name inside the template.
    pub logical_id: String,
    /// The name of the access pattern and of its binary: the last component of `CodeUri`.
    pub name: String,
    /// The timeout of one invocation.
    pub timeout: Duration,
    /// Its memory size in MB. The function can read it, but nothing enforces it locally.
    pub memory_mb: u32,
    /// Its own environment variables.
    pub environment: BTreeMap<String, String>,
    /// The routes that lead to it.
    pub routes: Vec<Route>,
    /// Whether it admits the connections of the WebSocket API: it is the function of `$connect`.
    pub connects: bool,
    /// The streams that it reads.
    pub mappings: Vec<EventSourceMapping>,
    /// The queues whose messages start it.
    pub queues: Vec<Queue>,
    /// The schedules that start it.
    pub schedules: Vec<Schedule>,
    /// The objects whose creation starts it.
    pub notifications: Vec<Notification>,
    /// The settings of its asynchronous invocations.
    pub event_invoke_config: EventInvokeConfig,
    /// The triggers of the user pool that start it, for example `PreSignUp`. The local stack has no
    /// user pool, so nothing starts it there.
    pub triggers: Vec<String>,
    /// Its permissions, besides writing logs and traces.
    pub statements: Vec<Statement>,
}

impl Function {
    /// Returns whether the function gets records, from a stream or from a queue, and answers which of
    /// them failed. A function of uploads has no such answer, whatever starts it.
    #[must_use]
    pub fn reads_records(&self) -> bool {
        !self.mappings.is_empty() || (!self.queues.is_empty() && self.notifications.is_empty())
    }

    /// Reads the function of a resource and merges its properties with those of
    /// [Globals](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy-globals.html):
    /// its own properties win, and environment variables are merged one by one. What starts it is in
    /// other resources, except its streams, queues and schedules. `tables` and `redrives` are those of all templates.
    pub(super) fn read(
        document: &Document,
        globals: Option<&Node>,
        tables: &[Table],
        redrives: &[Redrive],
        id: &str,
        resource: &Node,
    ) -> Result<Self> {
        let own = |name| property(resource, name);
        let global = |name| globals.and_then(|all| get(all, name));
        if own("CodeUri").is_none() {
            return Err(document.error(resource, format!("function {id} has no CodeUri")));
        }

        // SAM's defaults are Lambda's: 3 seconds and 128 MB.
        let number = |name, default: u32| match own(name).or_else(|| global(name)) {
            Some(node) => {
                document.text(node)?.parse().map_err(|_| document.error(node, format!("{name} must be a whole number")))
            }
            None => Ok(default),
        };

        let mut environment = BTreeMap::new();
        for node in [global("Environment"), own("Environment")].into_iter().flatten() {
            for (key, value) in document.entries(get(node, "Variables")) {
                // `AWS::NoValue` removes a variable of `Globals`.
                match document.resolve(value)? {
                    Some(_) => environment.insert(key.to_owned(), document.text(value)?),
                    None => environment.remove(key),
                };
            }
        }

        let (mut mappings, mut queues, mut schedules) = (Vec::<EventSourceMapping>::new(), Vec::new(), Vec::new());
        for (_, event) in document.entries(own("Events")) {
            match get(event, "Type").and_then(|kind| kind.data.as_str()) {
                Some("DynamoDB") => {
                    let mapping = EventSourceMapping::read(document, tables, event)?;
                    // Lambda rejects this as well.
                    if mappings.iter().any(|other| other.table == mapping.table) {
                        let table = &mapping.table;
                        let message = format!("function {id} has two event source mappings of the stream of {table}");
                        return Err(document.error(event, message));
                    }
                    mappings.push(mapping);
                }
                Some("SQS") => queues.push(Queue::read(document, redrives, event)?),
                Some("Schedule") => schedules.push(Schedule::read(document, event)?),
                _ => {
                    let message = "the local stack supports only events of the types DynamoDB, SQS and Schedule";
                    return Err(document.error(event, message));
                }
            }
        }
        Ok(Self {
            logical_id: id.to_owned(),
            name: document.physical_name(id, resource)?,
            timeout: Duration::from_secs(number("Timeout", 3)?.into()),
            memory_mb: number("MemorySize", 128)?,
            environment,
            routes: Vec::new(),
            connects: false,
            mappings,
            queues,
            schedules,
            notifications: Vec::new(),
            event_invoke_config: document.property_as(resource, "EventInvokeConfig")?.unwrap_or_default(),
            triggers: Vec::new(),
            statements: policy::statements(document, resource)?,
        })
    }
}
