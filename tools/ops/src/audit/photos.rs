//! The audit of `quick-photos`: compares every count with the items that it counts, and checks that every item's owner
//! exists.
//!
//! # Memory
//!
//! The audit keeps about 300 bytes for each user and about 350 bytes for each photo. It keeps nothing for a reaction or
//! a friendship: these only change the differences of the counts. Where an owner turns out to be missing, Queries find
//! the items that refer to it.
//!
//! # Consistency of an inspection
//!
//! - Reads by one key or of one partition are consistent: users, photos, followers, the reactions of a user.
//! - Only the inverted index can find whom a user follows and the reactions to a photo. The index [follows the
//!   table](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes) with a lag, usually
//!   of milliseconds. A count changes in the transaction that changes what it counts. So if the count stayed the same
//!   between two inspections, the index has had all that time to catch up with it.
//! - A `Deletion` and a `PhotoDeletion` keep counts of what is left to delete, and these are compared like all others.
//!   A count that is too high would keep finish-deletion from ending, and one that is too low would let it end too
//!   early.
//!
//! # Repairs
//!
//! - A wrong count is set if it is still the same. All other writers change the count together with what it counts, so
//!   concurrent writes do not change the difference. One case is left: a count that is too low and has reached 0 stays
//!   at 0 when an item that it counts is deleted. If that happens between the second inspection and the repair, the
//!   next audit finds the rest.
//! - An item without its owner is deleted if the owner still does not exist, and a count that includes the item is
//!   lowered by one in the same transaction. Only the absence of a reaction's photo is not checked in the transaction.
//!   Neither the Scan nor two inspections of the index saw the photo, and add-reaction rejects photos that do not
//!   exist.
//! - An unfinished deletion is only touched. That makes a record in the stream, and finish-deletion starts another
//!   pass.

mod candidate;
mod entity;
mod expected;
mod inspect;
mod repair;

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Table;
use shared::model::photos::photo_sk;

use super::error::Error;
use super::finding::{Finding, PhotosFinding, Resolution};
use super::recheck::{Audit, Check, MAX_CONCURRENT_INSPECTIONS, MalformedItems};
use super::report::Progress;

use candidate::Candidate;
pub(super) use entity::PhotosLayout;
use expected::Expected;

/// The check of the valid items of the table.
struct Photos {
    table: Table,
}

impl Check for Photos {
    type Candidate = Candidate;
    type Finding = PhotosFinding;

    async fn inspect(&self, candidate: &Candidate) -> Result<Option<PhotosFinding>, Error> {
        inspect::inspect(&self.table, candidate).await
    }

    async fn repair(&self, finding: &PhotosFinding) -> Result<bool, Error> {
        repair::repair(&self.table, finding).await
    }
}

/// Audits the table.
pub(super) async fn audit<W: FnMut(Progress<'_>)>(audit: &mut Audit<W>) -> Result<(), Error> {
    let mut expected = Expected::default();
    let malformed = audit.scan::<PhotosLayout>(|read| read.into_iter().for_each(|entity| expected.add(entity))).await?;
    let table = audit.table.clone();

    let mut candidates: BTreeSet<Candidate> = expected.pins().collect();
    candidates.extend(expected.deletions());
    let of_users = stream::iter(expected.missing_users()).map(|username| inspect::references_to_user(&table, username));
    candidates.extend(of_users.buffer_unordered(MAX_CONCURRENT_INSPECTIONS).try_concat().await?);
    let of_photos = stream::iter(expected.missing_photos()).map(|photo| inspect::reactions_of_photo(&table, photo));
    candidates.extend(of_photos.buffer_unordered(MAX_CONCURRENT_INSPECTIONS).try_concat().await?);

    let photos = Photos { table };
    // The order matters: deleting an orphaned photo orphans its reactions, and the deletion of any orphan lowers
    // counts.
    let (of_photos, mut others): (BTreeSet<_>, BTreeSet<_>) =
        candidates.into_iter().partition(|candidate| matches!(candidate, Candidate::Photo(..)));
    audit.confirm(&MalformedItems::<PhotosLayout>::of(&photos.table), malformed).await?;
    audit.confirm(&photos, of_photos).await?;
    for (finding, resolution) in &audit.report.findings {
        if let (Finding::Photos(PhotosFinding::Photo { username, timestamp }), Resolution::Repaired) =
            (finding, resolution)
        {
            others.extend(inspect::reactions_of_photo(&photos.table, &photo_sk(username, timestamp)).await?);
        }
    }
    audit.confirm(&photos, others).await?;
    audit.confirm(&photos, expected.wrong_counts()).await
}
