//! Checks one of the tables of Quick Photos: every count against what it counts, every item for what it belongs to.
//!
//! Which of the tables it is, their keys tell: [`photos`] or [`favorites`] say what is looked for in each, what is kept
//! in memory of it, and how it is mended. What follows is of both.
//!
//! # How
//!
//! One Scan in parallel segments reads the table, once, and makes a list of suspects. It costs the table half a
//! [read unit](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html#read-operation-consumption)
//! for each 4 KB of it, whatever is in order and whatever is not. What is suspected and found is kept in memory too.
//!
//! # Why two more looks
//!
//! [A Scan is no snapshot](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ReadConsistency):
//! a count and what it counts lie apart and are read at different times, and a write in between makes them differ. So
//! each suspect is looked at again, twice, two seconds apart, and is a finding only if both looks saw the very
//! same: the same count and the same number of what it counts. What keeps changing is looked at [`LOOKS`] times and left
//! alone then; the report says how many were.
//!
//! On a table at rest this finds all there is. While others write it may overlook what just came to be, and what a
//! stream function has not come to for seconds shows up.
//!
//! # Why the repair is safe
//!
//! Every write has conditions that say that all is still as it was found; where one fails, nothing is written and the
//! suspect is looked at anew. Killed in between it leaves nothing half done, and repeated it goes on.

pub mod favorites;
mod finding;
pub mod photos;
mod read;
mod settle;
mod write;

use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{IndexStatus, KeyType, TableDescription};
use shared::Table;
use shared::error::chain;

use load::explain;

use favorites::Favorites;
pub use finding::{Finding, Outcome};
use photos::Photos;
use read::Layout;
use settle::Audit;

/// How often a suspect is looked at that is another each time.
pub const LOOKS: usize = 6;
/// How many are looked at, or mended, at the same time.
const AT_ONCE: usize = 16;

/// How to audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether to mend what is found.
    pub repair: bool,
    /// In how many segments the table is read at once; at least 1.
    pub segments: u16,
    /// The time between two looks at a suspect: longer than an index or a stream function is behind the table.
    pub between_looks: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { repair: false, segments: 4, between_looks: Duration::from_secs(2) }
    }
}

/// What happens during an audit.
#[derive(Debug)]
pub enum Event<'a> {
    /// So many items have been read.
    Scanned {
        /// Items of the table.
        items: u64,
    },
    /// So many suspects are to be looked at.
    Suspects(usize),
    /// One of them is a finding.
    Found(&'a Finding, Outcome),
}

/// What an audit found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// How many items the table has.
    pub items: u64,
    /// What is not right, or was not.
    pub findings: Vec<(Finding, Outcome)>,
    /// How many suspects never stayed the same from one look to the next.
    pub unsettled: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |outcome| self.findings.iter().filter(|(_, other)| *other == outcome).count();
        write!(f, "{} items, {} findings", self.items, self.findings.len())?;
        for (outcome, text) in [(Outcome::Repaired, "repaired"), (Outcome::Left, "left as they are")] {
            if of(outcome) > 0 {
                write!(f, ", {} {text}", of(outcome))?;
            }
        }
        if self.unsettled > 0 {
            write!(f, "; {} more can't be told because they keep changing", self.unsettled)?;
        }
        Ok(())
    }
}

/// Why an audit ended early.
#[derive(Debug)]
pub enum Error {
    /// The table can't be audited: it isn't there, the endpoint isn't, the credentials don't do, or it is another table.
    Table(String, String),
    /// A read failed.
    Read(String),
    /// A repair failed.
    Repair(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(table, reason) => write!(f, "table {table}: {reason}"),
            Self::Read(reason) => write!(f, "reading failed: {reason}"),
            Self::Repair(reason) => write!(f, "repairing failed: {reason}"),
        }
    }
}

impl std::error::Error for Error {}

/// Outside a transaction, all that is asked of DynamoDB here is to read.
impl<E> From<SdkError<E>> for Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    fn from(error: SdkError<E>) -> Self {
        Self::Read(explain(&error))
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self::Repair(error.to_string())
    }
}

/// What a transaction ends with.
impl From<shared::Error> for Error {
    fn from(error: shared::Error) -> Self {
        Self::Repair(told(error))
    }
}

impl Error {
    /// What a BatchGetItem ends with.
    fn unread(error: shared::Error) -> Self {
        Self::Read(told(error))
    }
}

fn told(error: shared::Error) -> String {
    match error {
        shared::Error::Busy(cause) | shared::Error::Internal(cause) => chain(cause.as_ref()),
        other => format!("{other:?}"),
    }
}

/// Audits the table called `table`.
pub async fn run(
    client: &Client,
    table: &str,
    options: Options,
    watch: impl FnMut(Event<'_>),
) -> Result<Report, Error> {
    let description = describe(client, table).await?;
    // A Scan takes what capacity there is, and must not give up when there is none for a moment.
    let config = client.config().to_builder().retry_config(RetryConfig::standard().with_max_attempts(10)).build();
    let table = Table { client: Client::from_conf(config), name: table.to_owned() };
    let mut audit = Audit { table, options, report: Report::default(), watch };
    if has_key::<Photos>(&description) {
        check_indexes::<Photos>(&description)?;
        photos::audit(&mut audit).await?;
    } else if has_key::<Favorites>(&description) {
        check_indexes::<Favorites>(&description)?;
        favorites::audit(&mut audit).await?;
    } else {
        let keys = [Photos::KEY, Favorites::KEY].map(|key| key.join(" and "));
        return Err(no_table_of_ours(&description, format!("its key is neither {}", keys.join(" nor "))));
    }
    Ok(audit.report)
}

async fn describe(client: &Client, table: &str) -> Result<TableDescription, Error> {
    let failed = |reason| Error::Table(table.to_owned(), reason);
    let answer = client.describe_table().table_name(table).send().await.map_err(|error| failed(explain(&error)))?;
    answer.table.ok_or_else(|| failed("the answer describes no table".to_owned()))
}

fn has_key<L: Layout>(table: &TableDescription) -> bool {
    let key = table.key_schema().iter().map(|key| (key.attribute_name(), key.key_type().clone()));
    key.eq(L::KEY.into_iter().zip([KeyType::Hash, KeyType::Range]))
}

/// An index that is still being built would show too little.
fn check_indexes<L: Layout>(table: &TableDescription) -> Result<(), Error> {
    let local = table.local_secondary_indexes().iter().map(|index| (index.index_name(), None));
    let global = table.global_secondary_indexes().iter().map(|index| (index.index_name(), index.index_status()));
    let indexes: Vec<_> = local.chain(global).collect();
    for &name in L::INDEXES {
        match indexes.iter().find(|(other, _)| *other == Some(name)) {
            Some((_, None | Some(IndexStatus::Active | IndexStatus::Updating))) => {}
            Some((_, Some(status))) => return Err(no_table_of_ours(table, format!("its index {name} is {status}"))),
            None => return Err(no_table_of_ours(table, format!("it has no index {name}"))),
        }
    }
    Ok(())
}

fn no_table_of_ours(table: &TableDescription, reason: String) -> Error {
    Error::Table(table.table_name().unwrap_or_default().to_owned(), reason)
}
