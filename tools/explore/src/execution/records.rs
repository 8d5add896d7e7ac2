//! The records of streams, and the processes that serve them.

use std::time::SystemTime;

use anyhow::Result;
use serde_json::json;

use super::{Execution, MAX_ATTEMPTS, Role};
use crate::process::Process;
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
        let record = record.clone();
        queue.is_busy = true;
        let function = self.system.function(&name.0)?;
        let text = format!("{} {} of {}", name.0, record["eventName"], record["dynamodb"]["Keys"]);
        let id = self.processes.len();
        let process =
            Process::start(function, record, &self.network, id, self.explorer.clone(), self.system.binaries.as_deref());
        self.add(Role::Record(name.clone()), process, &text);
        Ok(())
    }

    /// Delivers a record again that failed. By then, the indexes have caught up.
    pub(super) fn repeat_record(&mut self, name: &(String, String)) -> Result<()> {
        self.lagging.clear();
        let Some(queue) = self.queues.get_mut(name) else { return Ok(()) };
        queue.is_busy = false;
        queue.attempts += 1;
        if queue.attempts < MAX_ATTEMPTS {
            return self.start_record(name);
        }
        self.run.failures.push(format!("{} gives up a record of {} after {MAX_ATTEMPTS} attempts", name.0, name.1));
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

    /// Gives the record of a change to the functions that read the stream and whose filters match it.
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
        // A shard has the records of a partition in order. A mapping with several lanes keeps the order of an item only.
        let partition = &self.system.store.key_names(&change.table)[0];
        let partition = format!("{} {}", change.table, change.key[partition]);
        let item = format!("{} {}", change.table, change.key);
        let mut readers = vec![];
        for function in &self.system.template.functions {
            let reads = |mapping: &&local::template::Mapping| mapping.table == change.table;
            let Some(mapping) = function.mappings.iter().find(reads) else { continue };
            if mapping.filters.is_empty() || mapping.filters.iter().any(|filter| filter.matches(&record)) {
                let queue = if mapping.parallelization == 1 { &partition } else { &item };
                readers.push((function.name.clone(), queue.clone()));
            }
        }
        for name in readers {
            self.queues.entry(name.clone()).or_default().records.push_back(record.clone());
            self.start_record(&name)?;
        }
        Ok(())
    }

    /// Delivers all records of a queue again that have been served, in their order, as Lambda does if it has lost
    /// the answers of the function.
    pub(super) fn deliver_again(&mut self, name: &(String, String)) -> Result<()> {
        let Some(queue) = self.queues.get_mut(name) else { return Ok(()) };
        queue.is_repeated = true;
        if queue.is_busy { Ok(()) } else { self.start_record(name) }
    }
}
