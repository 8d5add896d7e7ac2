//! The records of streams, and the processes that serve them.

use std::time::SystemTime;

use anyhow::{Context as _, Result};
use local::services::s3::Created;
use local::template::{Destination, Notification, Queue};
use serde_json::{Value, json};

use super::{Execution, MAX_ATTEMPTS, Role};
use crate::process::Process;
use crate::push::SEND_PUSH;
use crate::screen::SEND_LIVE;
use crate::store::Change;

impl Execution<'_> {
    /// Starts a process for the next record of a queue.
    pub(super) fn start_record(&mut self, name: &(String, String)) -> Result<()> {
        let Some(queue) = self.queues.get_mut(name) else { return Ok(()) };
        if queue.is_repeated && !queue.is_busy {
            queue.is_repeated = false;
            queue.served.drain(..).rev().for_each(|record| queue.records.push_front(record));
        }
        let Some(record) = queue.records.front().filter(|_| !queue.is_busy) else { return Ok(()) };
        let mut record = record.clone();
        if let Some(message) = message_of(&mut record) {
            message["attributes"] = json!({"ApproximateReceiveCount": (queue.attempts + 1).to_string()});
        }
        queue.is_busy = true;
        let function = self.system.function(&name.0)?;
        let text = match record["eventName"].as_str() {
            Some(change) => format!("{} {change} of {}", name.0, record["dynamodb"]["Keys"]),
            None => format!("{} {}", name.0, name.1),
        };
        let id = self.processes.len();
        let process = Process::start(function, record, &self.network, id, self.explorer.clone());
        self.add(Role::Record(name.clone()), process, &text);
        Ok(())
    }

    /// Delivers a record again that failed. By then, the indexes have caught up.
    pub(super) fn repeat_record(&mut self, name: &(String, String)) -> Result<()> {
        self.lagging.clear();
        let function = self.system.function(&name.0)?;
        let reads_records = function.reads_records();
        let asynchronous = function.event_invoke_config.clone();
        let retries = usize::try_from(asynchronous.retries)?;
        let Some(queue) = self.queues.get_mut(name) else { return Ok(()) };
        let is_event = !reads_records && queue.records.front_mut().and_then(message_of).is_none();
        let max_attempts = if is_event { retries + 1 } else { MAX_ATTEMPTS };
        queue.is_busy = false;
        queue.attempts += 1;
        if queue.attempts < max_attempts {
            if ![SEND_PUSH, SEND_LIVE].contains(&name.0.as_str()) {
                return self.start_record(name);
            }
            // It waits for the inbox, and what makes that has the time of the visibility timeout.
            self.later.push_back(name.clone());
            return Ok(());
        }
        if let (true, Some(Destination::Function(destination))) = (is_event, asynchronous.on_failure().cloned()) {
            let event = queue.records.front().cloned();
            let failed = (destination, format!("failed {}", name.1));
            self.queues.entry(failed.clone()).or_default().records.push_back(json!({"requestPayload": event}));
            self.end_record(name)?;
            return self.start_record(&failed);
        }
        self.run.failures.push(format!("{} gives up a record of {} after {max_attempts} attempts", name.0, name.1));
        self.end_record(name)
    }

    pub(super) fn end_record(&mut self, name: &(String, String)) -> Result<()> {
        if let Some(queue) = self.queues.get_mut(name) {
            queue.served.extend(queue.records.pop_front());
            queue.is_busy = false;
            queue.attempts = 0;
        }
        self.start_record(name)
    }

    /// Gives the record of a change to the functions that read the stream and whose filters match
    /// it.
    pub(super) fn add_records(&mut self, change: &Change) -> Result<()> {
        self.records += 1;
        let kind = match (&change.old, &change.new) {
            (None, _) => "INSERT",
            (_, None) => "REMOVE",
            _ => "MODIFY",
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
        let mut images = json!({
            "Keys": change.key, "SequenceNumber": format!("{:021}", self.records), "ApproximateCreationDateTime": now,
        });
        for (name, image) in [("OldImage", &change.old), ("NewImage", &change.new)] {
            if let Some(image) = image {
                images[name] = image.clone();
            }
        }
        let record = json!({"eventName": kind, "eventSource": "aws:dynamodb", "dynamodb": images});
        // DynamoDB may split the items of a partition key between shards, so only the records of
        // one item are in order.
        let item = format!("{} {}", change.table, change.key);
        let mut readers = vec![];
        for function in &self.system.template.functions {
            let reads = |mapping: &&local::template::EventSourceMapping| mapping.table == change.table;
            let Some(mapping) = function.mappings.iter().find(reads) else { continue };
            if mapping.filters.is_empty() || mapping.filters.iter().any(|filter| filter.matches(&record)) {
                readers.push((function.name.clone(), item.clone()));
            }
        }
        for name in readers {
            self.queues.entry(name.clone()).or_default().records.push_back(record.clone());
            self.start_record(&name)?;
        }
        Ok(())
    }

    /// Gives the messages of a request to the function of their queue. A queue keeps no order.
    pub(super) fn add_messages(&mut self, request: &Value) -> Result<Value> {
        let url = request["QueueUrl"].as_str().unwrap_or_default();
        let reads = |queue: &Queue| url.rsplit('/').next() == Some(&queue.name);
        let mut functions = self.system.template.functions.iter();
        let read = functions.find_map(|function| Some((function, function.queues.iter().find(|queue| reads(queue))?)));
        let (function, queue) = read.with_context(|| format!("no function reads {url}"))?;
        let (function, queue, reads_records) = (function.name.clone(), queue.clone(), function.reads_records());
        let mut sent = vec![];
        for entry in request["Entries"].as_array().into_iter().flatten() {
            self.records += 1;
            let id = format!("message {} of {}", self.records, queue.name);
            let message = json!({
                "messageId": id, "body": entry["MessageBody"], "eventSource": "aws:sqs", "eventSourceARN": queue.arn,
            });
            let name = (function.clone(), id);
            // A function of uploads gets its whole event.
            let message = if reads_records { message } else { json!({ "Records": [message] }) };
            self.queues.entry(name.clone()).or_default().records.push_back(message);
            self.start_record(&name)?;
            sent.push(json!({"Id": entry["Id"], "MessageId": name.1}));
        }
        Ok(json!({"Successful": sent, "Failed": []}))
    }

    /// Gives the event of a created object to the functions that the bucket notifies. Each event
    /// has a queue of its own, because Lambda keeps asynchronous invocations in no order.
    pub(super) fn add_event_of_object(&mut self, key: &str) -> Result<()> {
        self.records += 1;
        let queue = format!("event {} of {key}", self.records);
        let functions = self.system.template.functions.iter().filter(|function| {
            let matches = |notification: &Notification| key.starts_with(&notification.prefix);
            function.notifications.iter().any(matches)
        });
        let names: Vec<String> = functions.map(|function| function.name.clone()).collect();
        let created = Created {
            event: "ObjectCreated:Post",
            bucket: "pictures".to_owned(),
            key: key.to_owned(),
            size: 0,
            etag: String::new(),
        };
        for name in names {
            let name = (name, queue.clone());
            let event = created.notification("explored");
            self.queues.entry(name.clone()).or_default().records.push_back(event);
            self.start_record(&name)?;
        }
        Ok(())
    }

    /// Delivers the record to another process that a process of this queue serves.
    pub(super) fn deliver_meanwhile(&mut self, name: &(String, String)) -> Result<()> {
        if let Some(queue) = self.queues.get_mut(name) {
            queue.is_busy = false;
        }
        self.start_record(name)
    }

    /// Delivers all records of a queue again that have been served, in their order, as Lambda does
    /// if it has lost the answers of the function.
    pub(super) fn deliver_again(&mut self, name: &(String, String)) -> Result<()> {
        let Some(queue) = self.queues.get_mut(name) else { return Ok(()) };
        queue.is_repeated = true;
        if queue.is_busy { Ok(()) } else { self.start_record(name) }
    }
}

/// Returns the message of an event whose function gets its whole events.
fn message_of(event: &mut Value) -> Option<&mut Value> {
    event.pointer_mut("/Records/0").filter(|message| message["eventSource"] == "aws:sqs")
}
