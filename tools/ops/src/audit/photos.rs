//! The audit of `quick-photos`: compares every count with the items that it counts, and checks that every item's owner
//! exists. With a bucket, it compares the photos with the objects of their pictures, and with the table of feeds, the home
//! feeds with the photos and the friendships ([`feeds`]).
//!
//! # Memory
//!
//! The audit keeps about 300 bytes for each user and about 400 bytes for each photo. It keeps nothing for a reaction or
//! a friendship: these only change the differences of the counts. It keeps nothing for an object that a photo shows: the list
//! of objects follows the Scan, and marks what it finds. Where an owner turns out to be missing, Queries find
//! the items that refer to it.
//!
//! # Consistency of an inspection
//!
//! - Reads by one key or of one partition are consistent: users, photos, followers, the reactions of a user.
//! - Only the inverted index can find whom a user follows and the reactions to a photo. The index [follows the
//!   table](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes) with a lag, usually
//!   of milliseconds. A count changes in the transaction that changes what it counts. So if the count stayed the same
//!   between two inspections, the index has had all that time to catch up with it.
//! - A count is right if it is the number of the items without the mark `uncounted`. The inverted index does not have the
//!   mark, so the audit reads the reactions to a photo with a suspicious count from the table, for a read unit each.
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
//! - An item that was not counted for long is counted as process-changes does it, or deleted if its photo or its followed
//!   user is gone. The condition is that it still has the mark.
//! - An unfinished deletion is only touched. That makes a record in the stream, and finish-deletion starts another
//!   pass.
//! - An object that no photo needs is deleted with all of its versions. What a photo shows does not change once its
//!   picture is not pending, so the object is not needed later either.
//! - The file of a photo that has been pending for long is uploaded once more, which starts process-photo.
//! - A photo that DynamoDB should have deleted is deleted as DynamoDB would, and finish-deletion does the rest.
//! - Nothing can repair a picture whose objects are missing, and reactions to a photo that nobody can see: these are left to
//!   a person.

mod candidate;
mod entity;
mod expected;
mod feeds;
mod inspect;
mod objects;
mod repair;
mod ttl;
mod uncounted;

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::model::objects::incoming_key;
use shared::model::photos::photo_sk;
use shared::objects::delete_versions;
use shared::values::Timestamp;
use shared::{Bucket, Table};

use super::error::Error;
use super::finding::{Finding, PhotosFinding, Resolution};
use super::recheck::{Audit, Check, MAX_CONCURRENT_INSPECTIONS, MalformedItems};
use super::report::{Comparison, Progress};

use candidate::Candidate;
use entity::Entity;
pub(super) use entity::PhotosLayout;
use expected::Expected;
pub(super) use feeds::FeedLayout;

/// The check of the valid items of the table.
struct Photos<'a> {
    table: Table,
    bucket: Option<&'a Bucket>,
    min_object_age: Duration,
    /// A reaction or a friendship that has not been counted since this time, or for longer, is a finding.
    uncounted_before: Timestamp,
}

impl Check for Photos<'_> {
    type Candidate = Candidate;
    type Finding = PhotosFinding;

    async fn inspect(&self, candidate: &Candidate) -> Result<Option<PhotosFinding>, Error> {
        match (candidate, self.bucket) {
            (Candidate::Object(key), Some(bucket)) => {
                objects::inspect(&self.table, bucket, key, self.min_object_age).await
            }
            (Candidate::Picture(username, timestamp), Some(bucket)) => {
                objects::inspect_picture(&self.table, bucket, username, timestamp).await
            }
            _ => inspect::inspect(&self.table, candidate, &self.uncounted_before).await,
        }
    }

    async fn repair(&self, finding: &PhotosFinding) -> Result<bool, Error> {
        match (finding, self.bucket) {
            (PhotosFinding::Object { key, .. }, Some(bucket)) => {
                delete_versions(bucket, key, |other| other != key).await?;
                Ok(true)
            }
            (PhotosFinding::Upload { username, timestamp, .. }, Some(bucket)) => {
                objects::upload_again(bucket, &incoming_key(username, timestamp)).await
            }
            _ => repair::repair(&self.table, finding).await,
        }
    }

    fn needs_manual_repair(finding: &PhotosFinding) -> bool {
        matches!(finding, PhotosFinding::MissingObjects { .. } | PhotosFinding::EarlyReactions { .. })
    }
}

/// Audits the table.
pub(super) async fn audit<W: FnMut(Progress<'_>)>(
    audit: &mut Audit<W>,
    bucket: Option<&Bucket>,
    feed: Option<&Table>,
) -> Result<(), Error> {
    let mut expected = Expected::default();
    let mut feeds = feed.map(|_| feeds::Expected::default());
    let mut add = |entity: Entity| {
        if let Some(feeds) = &mut feeds {
            feeds.add(&entity);
        }
        expected.add(entity);
    };
    let malformed = audit.scan::<PhotosLayout>(|read| read.into_iter().for_each(&mut add)).await?;
    let table = audit.table.clone();

    let mut candidates: BTreeSet<Candidate> = expected.pins().collect();
    candidates.extend(expected.deletions());
    candidates.extend(expected.wrong_ttls());
    candidates.extend(expected.early_reactions());
    let uncounted_before = uncounted::time_before(audit.options.min_age);
    candidates.extend(expected.uncounted_before(&uncounted_before));
    audit.report.objects = Comparison::NotCompared;
    if let Some(bucket) = bucket {
        candidates.extend(compare_objects(audit, bucket, &mut expected).await?);
    }
    let of_users = stream::iter(expected.missing_users()).map(|username| inspect::references_to_user(&table, username));
    candidates.extend(of_users.buffer_unordered(MAX_CONCURRENT_INSPECTIONS).try_concat().await?);
    let of_photos = stream::iter(expected.missing_photos()).map(|photo| inspect::reactions_of_photo(&table, photo));
    candidates.extend(of_photos.buffer_unordered(MAX_CONCURRENT_INSPECTIONS).try_concat().await?);

    let photos = Photos { table, bucket, min_object_age: audit.options.min_object_age, uncounted_before };
    // The order matters: deleting an orphaned photo orphans its reactions and objects, and the deletion of any orphan
    // lowers counts.
    let (of_photos, mut others): (BTreeSet<_>, BTreeSet<_>) =
        candidates.into_iter().partition(|candidate| matches!(candidate, Candidate::Photo(..)));
    audit.confirm(&MalformedItems::<PhotosLayout>::of(&photos.table), malformed).await?;
    audit.confirm(&photos, of_photos).await?;
    for (finding, resolution) in &audit.report.findings {
        if let (Finding::Photos(PhotosFinding::Photo { username, timestamp }), Resolution::Repaired) =
            (finding, resolution)
        {
            others.extend(inspect::reactions_of_photo(&photos.table, &photo_sk(username, timestamp)).await?);
            if let Some(bucket) = bucket {
                others.extend(objects::of_photo(bucket, username, timestamp).await?);
            }
        }
    }
    audit.confirm(&photos, others).await?;
    audit.confirm(&photos, expected.wrong_counts()).await?;
    audit.report.feeds = Comparison::NotCompared;
    if let (Some(feed), Some(feeds)) = (feed, feeds) {
        feeds::audit(audit, feed, feeds, |username| expected.has_user(username)).await?;
    }
    Ok(())
}

/// Lists the bucket, and returns the candidates of both directions: objects that no photo needs, and photos whose objects
/// are missing.
async fn compare_objects<W: FnMut(Progress<'_>)>(
    audit: &mut Audit<W>,
    bucket: &Bucket,
    expected: &mut Expected,
) -> Result<Vec<Candidate>, Error> {
    let lists = stream::iter(objects::prefixes().map(|prefix| Box::pin(objects::pages(bucket, prefix))));
    let mut pages = lists.flatten_unordered(usize::from(audit.options.segments.max(1)));
    let (mut number, mut candidates) = (0, vec![]);
    while let Some(page) = pages.try_next().await? {
        number += page.len() as u64;
        // A candidate that is too young would be dropped at its inspection. It takes no memory until then.
        let is_old = |candidate: &objects::Object| objects::is_old(candidate, audit.options.min_object_age);
        candidates.extend(page.into_iter().filter_map(|object| {
            let is_old = is_old(&object);
            expected.add_object(object).filter(|_| is_old)
        }));
        (audit.watch)(Progress::Listed { objects: number });
    }
    audit.report.objects = Comparison::Compared(number);
    candidates.extend(expected.missing_pictures());
    Ok(candidates)
}
