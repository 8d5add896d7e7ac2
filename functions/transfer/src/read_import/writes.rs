//! The writes of an import, in a file for each kind of things. They have the conditions of the
//! functions that write these things for a caller.

use std::cell::Cell;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::entities::{ImportWork, MAX_FAVORITES, MAX_PHOTOS, MAX_TAGS_PER_USER};
use shared::runtime::queue::Queue;
use shared::values::{Subject, Username};
use shared::{Bucket, Table};

use crate::read_import::archive::{Archive, Unreadable};
use crate::read_import::profile::{Profile, valid};

mod favorites;
mod photos;
mod profile;
mod tags;

/// The maximum number of transactions of an import, with those that change nothing.
pub const MAX_WRITES: u64 = 500_000;
/// The maximum number of pictures that an import gives to process-photo. There is one import a day,
/// and a photo expires that is pending for a day. So no user has many more photos that are pending.
pub const MAX_PICTURES: u64 = 10_000;

/// The kinds of things.
const TAG: &str = "tag";
const FAVORITE: &str = "favorite";
const PHOTO: &str = "photo";

/// The tables, the bucket, and the queue of the pictures.
#[derive(Debug, Clone)]
pub(crate) struct Stores {
    pub(crate) table: Table,
    pub(crate) favorites: Table,
    pub(crate) feed: Table,
    pub(crate) bucket: Bucket,
    pub(crate) pictures: Queue,
}

/// The user for whom things are made.
pub(crate) struct Target<'a> {
    stores: &'a Stores,
    owner: &'a Username,
    subject: &'a Subject,
    archive: &'a Archive<'a>,
    profile: &'a Profile,
    /// The costs of the import so far.
    pub(crate) work: Cell<ImportWork>,
    /// The kind of things of which the user has the maximum. No request is sent for another one.
    full: Cell<Option<&'static str>>,
}

/// The outcome of the write of a thing.
pub(crate) enum Written {
    /// It is there, now or since before.
    There,
    /// It was left out: what it is, and the reason.
    LeftOut(String, String),
}

/// The ids by which an entry is named that breaks a rule.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ids<'a> {
    #[serde(borrow)]
    tag_name: Option<&'a RawValue>,
    #[serde(borrow)]
    data_id: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// Parses an entry by the rules of the API, or returns what is wrong with it.
fn parse_entry<T: DeserializeOwned>(entry: &RawValue, kind: &str) -> Result<T, Written> {
    serde_json::from_str(entry.get()).map_err(|error| {
        let Ids { tag_name, data_id, id } = serde_json::from_str(entry.get()).unwrap_or_default();
        let id: Option<String> = valid(tag_name.or(data_id).or(id));
        let reason: String = error.to_string().chars().take(200).collect();
        left_out(kind, &format!("{:.64}", id.as_deref().unwrap_or("without an id")), reason)
    })
}

impl<'a> Target<'a> {
    /// Returns the user of an import that has cost `work` so far.
    pub(crate) const fn new(
        stores: &'a Stores,
        owner: &'a Username,
        subject: &'a Subject,
        archive: &'a Archive<'a>,
        profile: &'a Profile,
        work: ImportWork,
    ) -> Self {
        Self { stores, owner, subject, archive, profile, work: Cell::new(work), full: Cell::new(None) }
    }

    /// Returns why no request is sent for another thing of a kind: there is the maximum of it, or the
    /// import has cost enough.
    fn refusal(&self, kind: &'static str) -> Option<String> {
        if self.full.get() == Some(kind) {
            return Some(maximum_of(kind));
        }
        let ImportWork { writes, pictures, .. } = self.work.get();
        if writes >= MAX_WRITES {
            return Some(format!("one import makes {MAX_WRITES} writes at most; import the file again tomorrow"));
        }
        let has_all_pictures = kind == PHOTO && pictures >= MAX_PICTURES;
        has_all_pictures
            .then(|| format!("one import has {MAX_PICTURES} pictures at most; import the file again tomorrow"))
    }

    /// Leaves out a thing of which the user has the maximum, and all later ones.
    fn leave_out_full(&self, kind: &'static str, id: &str) -> Written {
        self.full.set(Some(kind));
        left_out(kind, id, maximum_of(kind))
    }

    fn count(&self, writes: u64, pictures: u64) {
        let work = self.work.get();
        self.work.set(ImportWork { writes: work.writes + writes, pictures: work.pictures + pictures, ..work });
    }

    fn account(&self) -> Account<'_> {
        Account { table_name: &self.stores.table.name, username: self.owner, subject: self.subject }
    }

    /// Sends a transaction with the check of the account at its end. Fails with
    /// [`Unreadable::Gone`] if the account is over.
    async fn write(&self, mut transaction: Transaction) -> Result<Outcome, Unreadable> {
        self.count(1, 0);
        let check = transaction.condition_check(self.account().check()?);
        let outcome = transaction.write(&self.stores.table.client).await?;
        match &outcome {
            Outcome::ConditionFailed(failed) if self.account().require(failed, check).is_err() => Err(Unreadable::Gone),
            _ => Ok(outcome),
        }
    }
}

/// Returns why no other thing of a kind is put.
fn maximum_of(kind: &str) -> String {
    match kind {
        TAG => format!("you have {MAX_TAGS_PER_USER} tags, the maximum"),
        FAVORITE => format!("you have {MAX_FAVORITES} favorites, the maximum"),
        _ => format!("you have {MAX_PHOTOS} photos, the maximum"),
    }
}

fn left_out(kind: &str, id: &str, reason: impl Into<String>) -> Written {
    Written::LeftOut(format!("{kind} {id}"), reason.into())
}
