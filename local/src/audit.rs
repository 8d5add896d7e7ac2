//! Checks a table `quick-photos`: every count against what it counts, and every item for its owner.
//!
//! # How
//!
//! One Scan in parallel segments reads the table, once, and makes a list of suspects. It costs the table half a
//! [read unit](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html#read-operation-consumption)
//! for each 4 KB of it, whatever is in order and whatever is not.
//!
//! In memory it keeps some 300 bytes for each user and some 350 for each photo, and nothing for reactions and
//! friendships: they go into the differences of the counts. Where an owner turns out to be missing, Queries find again
//! what names it. Findings are kept too.
//!
//! # Why two more looks
//!
//! [A Scan is no snapshot](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html#Scan.ReadConsistency):
//! a count and what it counts lie apart and are read at different times, and a follow in between makes them differ. So
//! each suspect is looked at again, twice, two seconds apart, and is a finding only if both looks saw the very
//! same: the same count and the same number of what it counts.
//!
//! - What one key or one partition can tell is read consistently: users, photos, followers, the reactions of a user.
//! - Whom a user follows, and the reactions to a photo, only the inverted index can tell, which
//!   [follows the table](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes) with a
//!   lag, mostly of milliseconds. A count changes in the transaction that changes what it counts. So if the count
//!   stayed the same from one look to the next, the index has had all the time between to catch up with it.
//! - What keeps changing is looked at [`LOOKS`] times and left alone then; the report says how many were.
//!
//! On a table at rest this finds all there is. While others write it may overlook what just came to be, and a photo
//! whose deletion takes its time shows up by its reactions, which finish-deletion is about to delete.
//!
//! # Why the repair is safe
//!
//! Every write has conditions that say that all is still as it was found; where one fails, nothing is written and the
//! suspect is looked at anew.
//!
//! - A count is set if it still says what it said. Everybody else changes it together with what it counts, so the
//!   difference does not depend on what they do meanwhile. (But for a count that is too low and has come down to 0:
//!   who deletes what it counts leaves it at that. If it happens between the second look and the repair, the next audit
//!   finds the rest.)
//! - An item without its owner is deleted if there is still nothing in the owner's place, and what counted it counts one
//!   less, in one transaction. Only a photo that is gone can't be asked for in that transaction, as a reaction to it
//!   does not say whose it was: neither the Scan nor two looks into the index saw it, and add-reaction refuses photos
//!   that are not there.
//! - A deletion is only touched: that makes a record in the stream, and finish-deletion begins another pass.
//!
//! Killed in between it leaves nothing half done, and repeated it goes on.

mod entity;
mod finding;
mod look;
mod mend;
mod tally;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::types::{IndexStatus, KeyType};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Table;
use shared::error::chain;
use shared::photos::{INVERTED_INDEX, PK, SK, photo_sk};
use shared::values::Username;
use tokio::time::sleep;

use crate::client::explain;

use finding::Suspect;
pub use finding::{Count, Finding, Outcome, PhotoIs};

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
    /// The time between two looks at a suspect: longer than the inverted index is behind the table.
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
        Self::Repair(match error {
            shared::Error::Busy(cause) | shared::Error::Internal(cause) => chain(cause.as_ref()),
            other => format!("{other:?}"),
        })
    }
}

/// Audits the table called `table`.
pub async fn run(
    client: &Client,
    table: &str,
    options: Options,
    mut watch: impl FnMut(Event<'_>),
) -> Result<Report, Error> {
    check(client, table).await?;
    // A Scan takes what capacity there is, and must not give up when there is none for a moment.
    let config = client.config().to_builder().retry_config(RetryConfig::standard().with_max_attempts(10)).build();
    let table = Table { client: Client::from_conf(config), name: table.to_owned() };
    let tally = tally::scan(&table, options.segments.max(1), &mut watch).await?;

    let deletions: Vec<Username> = tally.deletions().cloned().collect();
    let mut suspects: BTreeSet<Suspect> = tally.shapeless().chain(tally.pins()).collect();
    suspects.extend(deletions.iter().cloned().map(Suspect::Deletion));
    let of_users = stream::iter(tally.missing_users()).map(|username| look::left_by_user(&table, username));
    suspects.extend(of_users.buffer_unordered(AT_ONCE).try_concat().await?);
    let of_photos = stream::iter(tally.missing_photos()).map(|photo| look::left_by_photo(&table, photo));
    suspects.extend(of_photos.buffer_unordered(AT_ONCE).try_concat().await?);

    let mut audit = Audit {
        report: Report { items: tally.items, ..Report::default() },
        repair: options.repair,
        between_looks: options.between_looks,
        table,
        deletions,
        watch,
    };
    // A repaired photo leaves reactions, and what counted is looked at when all that may be uncounted is.
    let (photos, others) = suspects.into_iter().partition(|suspect| matches!(suspect, Suspect::Photo(..)));
    audit.settle(photos).await?;
    let others = audit.with_reactions_to_deleted_photos(others).await?;
    audit.settle(others).await?;
    audit.settle(tally.counts().collect()).await?;
    Ok(audit.report)
}

/// Whether this is a table of the right shape. An index that is still being built would show too little.
async fn check(client: &Client, table: &str) -> Result<(), Error> {
    let failed = |reason| Error::Table(table.to_owned(), reason);
    let answer = client.describe_table().table_name(table).send().await.map_err(|error| failed(explain(&error)))?;
    let description = answer.table().ok_or_else(|| failed("the answer describes no table".to_owned()))?;
    let key: Vec<_> =
        description.key_schema().iter().map(|key| (key.attribute_name(), key.key_type().clone())).collect();
    if key != [(PK, KeyType::Hash), (SK, KeyType::Range)] {
        return Err(failed(format!("its key is not {PK} and {SK}")));
    }
    let indexes = description.global_secondary_indexes();
    let index = indexes.iter().find(|index| index.index_name() == Some(INVERTED_INDEX));
    let index = index.ok_or_else(|| failed(format!("it has no index {INVERTED_INDEX}")))?;
    match index.index_status() {
        None | Some(IndexStatus::Active | IndexStatus::Updating) => Ok(()),
        Some(other) => Err(failed(format!("its index {INVERTED_INDEX} is {other}"))),
    }
}

struct Audit<W> {
    table: Table,
    deletions: Vec<Username>,
    repair: bool,
    between_looks: Duration,
    report: Report,
    watch: W,
}

/// What a look came to.
enum Look {
    Fine,
    Found(Finding, Outcome),
    /// It is to be looked at again, and compared with this.
    Again(Option<Finding>),
}

impl<W: FnMut(Event<'_>)> Audit<W> {
    /// Looks at each suspect until two looks agree.
    async fn settle(&mut self, suspects: BTreeSet<Suspect>) -> Result<(), Error> {
        let mut suspects: BTreeMap<Suspect, Option<Finding>> = suspects.into_iter().map(|s| (s, None)).collect();
        for number in 0..LOOKS {
            if suspects.is_empty() {
                return Ok(());
            }
            (self.watch)(Event::Suspects(suspects.len()));
            if number > 0 {
                sleep(self.between_looks).await;
            }
            let (table, deletions, repair) = (&self.table, &self.deletions, self.repair);
            let looks = std::mem::take(&mut suspects).into_iter().map(async |(suspect, before)| {
                let look = look(table, deletions, repair, &suspect, before).await?;
                Ok::<_, Error>((suspect, look))
            });
            let mut looks = stream::iter(looks).buffered(AT_ONCE);
            while let Some((suspect, look)) = looks.try_next().await? {
                match look {
                    Look::Fine => {}
                    Look::Found(finding, outcome) => {
                        (self.watch)(Event::Found(&finding, outcome));
                        self.report.findings.push((finding, outcome));
                    }
                    Look::Again(now) => {
                        suspects.insert(suspect, now);
                    }
                }
            }
        }
        self.report.unsettled += suspects.len();
        Ok(())
    }

    async fn with_reactions_to_deleted_photos(
        &self,
        mut suspects: BTreeSet<Suspect>,
    ) -> Result<BTreeSet<Suspect>, Error> {
        for (finding, outcome) in &self.report.findings {
            if let (Finding::Photo { username, timestamp }, Outcome::Repaired) = (finding, outcome) {
                suspects.extend(look::left_by_photo(&self.table, &photo_sk(username, timestamp)).await?);
            }
        }
        Ok(suspects)
    }
}

async fn look(
    table: &Table,
    deletions: &[Username],
    repair: bool,
    suspect: &Suspect,
    before: Option<Finding>,
) -> Result<Look, Error> {
    let Some(finding) = look::look(table, deletions, suspect).await? else {
        return Ok(Look::Fine);
    };
    if before.as_ref() != Some(&finding) {
        return Ok(Look::Again(Some(finding)));
    }
    let outcome = match finding {
        _ if !repair => Outcome::Reported,
        Finding::Shapeless { .. } => Outcome::Left,
        _ if mend::mend(table, &finding).await? => Outcome::Repaired,
        _ => return Ok(Look::Again(None)),
    };
    Ok(Look::Found(finding, outcome))
}
