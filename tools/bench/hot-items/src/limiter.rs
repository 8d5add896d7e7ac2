//! The limits of DynamoDB that the embedded engine does not have: the throughput of a partition,
//! and conflicts.
//!
//! - A request is throttled if a partition of one of its items has no unit left of those that it
//!   serves in a second (`tools/scale/assumptions.toml`). A transaction is then cancelled with the
//!   reason
//!   [`ThrottlingError`](https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html),
//!   and any other request gets a `ThrottlingException`. A batch is throttled as a whole, which
//!   DynamoDB would do in part.
//! - Requests that overlap in time on an item
//!   [conflict](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling):
//!   a transaction is cancelled with the reason `TransactionConflict` if it comes while another one
//!   writes or checks one of its items. `PutItem`, `UpdateItem` and `DeleteItem` get a
//!   `TransactionConflictException` then. `TransactGetItems` also conflicts with a write of a
//!   single item. All other reads conflict with nothing.
//! - A request takes the units that the engine counts, divided equally among its items. That is
//!   exact for items of up to 1 KB. A transaction that is cancelled because of a conflict or a
//!   condition takes as many units from the table as if it had been committed. AWS documents that
//!   [failed
//!   conditions](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html#WorkingWithItems.ConditionalUpdate)
//!   take units, and nothing about conflicts, so this is the worst case. It can be switched off.
//!   A throttled request takes none.

use std::collections::HashMap;
use std::time::Duration;

use scale::assumptions::Assumptions;
use serde_json::Value;
use tokio::time::Instant;

use crate::partition::Bucket;
use crate::request::{Access, Part, Partition};

#[cfg(test)]
mod tests;

/// The units that a write of one item in a transaction takes, and as many a read in one.
const UNITS_IN_TRANSACTION: f64 = 2.0;

/// The state of all partitions, and the requests that are being served.
pub(crate) struct Limiter {
    read_units_per_second: f64,
    write_units_per_second: f64,
    burst: Duration,
    free_conflicts: bool,
    partitions: HashMap<(Partition, Kind), Bucket>,
    ongoing: HashMap<String, Ongoing>,
}

/// The kind of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Read,
    Write,
}

/// The requests that are being served on one item.
#[derive(Debug, Default)]
struct Ongoing {
    transactions: u32,
    writes: u32,
}

/// The reason for which a request is not served, with the positions of the items that caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    Throttled(Vec<usize>),
    Conflict(Vec<usize>),
}

/// The units that a served request took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Units {
    pub(crate) of_table: f64,
    pub(crate) of_indexes: f64,
}

impl Units {
    /// Reads the units from the answer of the engine, for which the request asked with
    /// `ReturnConsumedCapacity`.
    pub(crate) fn from_answer(answer: &Value) -> Self {
        let consumed = &answer["ConsumedCapacity"];
        let tables = consumed.as_array().map_or_else(|| vec![consumed], |tables| tables.iter().collect());
        let mut units = Self::default();
        for table in tables {
            let all = table["CapacityUnits"].as_f64().unwrap_or_default();
            let of_table = table["Table"]["CapacityUnits"].as_f64().unwrap_or(all);
            units.of_table += of_table;
            units.of_indexes += all - of_table;
        }
        units
    }
}

impl Limiter {
    /// Makes a limiter whose partitions have the unused units of the time `burst`. With
    /// `free_conflicts`, a transaction that is cancelled because of a conflict takes none.
    pub(crate) fn new(assumptions: &Assumptions, burst: Duration, free_conflicts: bool) -> Self {
        Self {
            read_units_per_second: assumptions.value("partition_reads"),
            write_units_per_second: assumptions.value("partition_writes"),
            burst,
            free_conflicts,
            partitions: HashMap::new(),
            ongoing: HashMap::new(),
        }
    }

    /// Begins to serve a request, or refuses it.
    pub(crate) fn begin(&mut self, operation: &str, parts: &[Part], now: Instant) -> Result<(), Refusal> {
        let throttled = positions(parts, |part| {
            let kind = kind(part.access);
            let mut partitions = part.entries.iter().chain([&part.partition]);
            !partitions.all(|partition| self.bucket(partition, kind, now).admits(now))
        });
        if !throttled.is_empty() {
            return Err(Refusal::Throttled(throttled));
        }
        let conflicts = positions(parts, |part| {
            let Some(ongoing) = self.ongoing.get(&part.item) else { return false };
            match operation {
                "TransactGetItems" => ongoing.transactions + ongoing.writes > 0,
                "TransactWriteItems" | "PutItem" | "UpdateItem" | "DeleteItem" => ongoing.transactions > 0,
                _ => false,
            }
        });
        if conflicts.is_empty() || !self.free_conflicts {
            self.take(parts, expected(operation, parts), now);
        }
        if !conflicts.is_empty() {
            return Err(Refusal::Conflict(conflicts));
        }
        for part in parts.iter().filter(|part| part.access != Access::Read) {
            let ongoing = self.ongoing.entry(part.item.clone()).or_default();
            *(if operation == "TransactWriteItems" { &mut ongoing.transactions } else { &mut ongoing.writes }) += 1;
        }
        Ok(())
    }

    /// Ends a request that was begun: it took `units`, or it failed, for example because of a
    /// condition.
    pub(crate) fn end(&mut self, operation: &str, parts: &[Part], units: Option<Units>, now: Instant) {
        for part in parts.iter().filter(|part| part.access != Access::Read) {
            if let Some(ongoing) = self.ongoing.get_mut(&part.item) {
                *(if operation == "TransactWriteItems" { &mut ongoing.transactions } else { &mut ongoing.writes }) -= 1;
                if ongoing.transactions + ongoing.writes == 0 {
                    self.ongoing.remove(&part.item);
                }
            }
        }
        if let Some(units) = units {
            let of_table = units.of_table - expected(operation, parts).of_table;
            self.take(parts, Units { of_table, ..units }, now);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a request names at most 100 items")]
    fn take(&mut self, parts: &[Part], units: Units, now: Instant) {
        let entries = parts.iter().map(|part| part.entries.len()).sum::<usize>();
        for part in parts {
            let kind = kind(part.access);
            self.bucket(&part.partition, kind, now).take(units.of_table / parts.len() as f64, now);
            for entry in &part.entries {
                self.bucket(entry, kind, now).take(units.of_indexes / entries as f64, now);
            }
        }
    }

    fn bucket(&mut self, partition: &Partition, kind: Kind, now: Instant) -> &mut Bucket {
        let rate = if kind == Kind::Write { self.write_units_per_second } else { self.read_units_per_second };
        let burst = self.burst;
        self.partitions.entry((partition.clone(), kind)).or_insert_with(|| Bucket::new(rate, burst, now))
    }
}

fn positions(parts: &[Part], mut is_cause: impl FnMut(&Part) -> bool) -> Vec<usize> {
    parts.iter().enumerate().filter(|(_, part)| is_cause(part)).map(|(position, _)| position).collect()
}

/// A condition check in a transaction takes write units.
fn kind(access: Access) -> Kind {
    if access == Access::Read { Kind::Read } else { Kind::Write }
}

/// Returns the units that a request takes when it begins. What it really took is known when it has
/// been served; of a request that fails, DynamoDB reports nothing.
#[expect(clippy::cast_precision_loss, reason = "a request names at most 100 items")]
fn expected(operation: &str, parts: &[Part]) -> Units {
    let of_item = if operation.starts_with("Transact") { UNITS_IN_TRANSACTION } else { 1.0 };
    Units { of_table: of_item * parts.len() as f64, of_indexes: 0.0 }
}
