//! The audit of `quick-photos`: compares every count with the items that it counts, and checks that
//! every item's owner exists. With a bucket, it compares the photos with the objects of their
//! pictures, and with the table of feeds, the home feeds with the photos and the friendships, and
//! the directory with the users ([`feeds`]).
//!
//! # Memory
//!
//! The audit keeps about 300 bytes for each user, about 400 bytes for each photo, about 500 bytes for each of several
//! pictures of a photo, about 200 bytes for each request to follow, about 100 bytes for each block or mute, each muted
//! friendship, and each report, complaint and decision, and about 400 bytes for each link with its target. It keeps
//! nothing for a reaction, a comment or another friendship: these only change the differences of the counts. It keeps nothing for an object that a photo shows: the list of
//! objects follows the Scan, and marks what it finds. Where an owner turns out to be missing,
//! Queries count the items that refer to it.
//!
//! # Consistency of an inspection
//!
//! - Reads by one key or of one partition are consistent: users, photos, followers, the reactions
//!   of a user.
//! - Only an index can find whom a user follows, who blocks a user, the comments of a user, and the
//!   reactions to a photo and the comments on it. An index [follows the
//!   table](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes)
//!   with a lag, usually of milliseconds. A count changes in the transaction that changes what it
//!   counts. So if the count stayed the same between two inspections, the index has had all that
//!   time to catch up with it.
//! - A count is right if it is the number of the items without the mark `uncounted`. The inverted
//!   index does not have the mark, so the audit reads the reactions or comments of a suspicious
//!   count from the table, for a read unit each.
//! - A `Deletion` and a `PhotoDeletion` keep counts of what is left to delete, and these are
//!   compared like all others. A count that is too high would keep finish-deletion from ending, and
//!   one that is too low would let it end too early.
//!
//! # Repairs
//!
//! - A wrong count is set if it is still the same. All other writers change the count together with
//!   what it counts, so concurrent writes do not change the difference. One case is left: a count
//!   that is too low and has reached 0 stays at 0 when an item that it counts is deleted. If that
//!   happens between the last inspection and the repair, the next audit finds the rest.
//! - The items of a user who does not exist are left as they are, because the user's item may be
//!   lost. It can be restored, or the owner can create the profile again, and then the audit makes
//!   its counts. Only for a user who is named to it, the audit puts a deletion in the place of the
//!   user, and finish-deletion erases the items.
//! - A reaction to a photo that does not exist, or a comment on it, is deleted if there still is no
//!   photo.
//! - A friendship or a request beside a block is deleted with its counts if the block is still
//!   there, as block-user would have done.
//! - An item that was not counted for long is counted as process-changes does it, or deleted if its
//!   photo or its followed user is gone. The condition is that it still has the mark.
//! - An unfinished deletion is only touched, and so is that of a name under which something is
//!   left. That makes a record in the stream, and finish-deletion starts another pass.
//! - An object that no photo needs is moved to a prefix whose objects expire after 30 days. What a
//!   photo shows does not change once its picture is not pending, so the object is not needed later
//!   either.
//! - The file of a photo that has been pending for long is uploaded once more, which starts
//!   process-photo.
//! - An item that DynamoDB should have deleted is deleted as DynamoDB would, and finish-deletion
//!   does the rest.
//! - A complaint or a decision whose report does not exist is deleted.
//! - The target of a link is written again as the link says. A target that no link has is deleted,
//!   because its owner does not know that it opens something. A link without a photo, or that has
//!   ended, is deleted with its target.
//! - The pictures of a photo that was made with several are deleted if there is no such photo. Otherwise the photo
//!   repeats the first of them again.
//! - Nothing can repair a picture whose objects are missing, the pictures of a photo whose item is missing, reactions to a photo that nobody can
//!   see or comments on it, and a photo or a comment that is removed although its report does not
//!   say so, or the reverse: these are left to a person.

mod candidate;
mod decisions;
mod entity;
mod expected;
mod feeds;
mod inspect;
mod links;
mod names;
mod objects;
mod photos_check;
mod repair;
mod several;
mod ttl;
mod uncounted;
mod user_state;

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::entities::object::incoming_key;
use shared::{Bucket, Table};

use super::check::{Audit, Check, MAX_CONCURRENT_INSPECTIONS, MalformedItems};
use super::error::Error;
use super::finding::{PhotosFinding, PictureOf};
use super::progress::Progress;
use super::report::Comparison;

use candidate::Candidate;
pub(super) use entity::Entity;
use expected::Expected;
pub(super) use feeds::Entity as FeedEntity;
use photos_check::PhotosCheck;

impl Check for PhotosCheck<'_> {
    type Candidate = Candidate;
    type Finding = PhotosFinding;

    async fn inspect(&self, candidate: &Candidate) -> Result<Option<PhotosFinding>, Error> {
        inspect::inspect(self, candidate).await
    }

    async fn repair(&self, finding: &PhotosFinding) -> Result<bool, Error> {
        match (finding, self.bucket) {
            (PhotosFinding::Object { key, .. }, Some(bucket)) => objects::move_to_orphans(bucket, key).await,
            (PhotosFinding::Upload { of: PictureOf { photo, number }, .. }, Some(bucket)) => {
                objects::upload_again(bucket, &incoming_key(&photo.author, &photo.id, *number)).await
            }
            _ => repair::repair(&self.table, finding).await,
        }
    }
}

/// Audits the table: reads everything, and then inspects and repairs.
pub(super) async fn audit(
    audit: &mut Audit<'_>,
    bucket: Option<&Bucket>,
    feed: Option<Table>,
    favorites: Option<Table>,
) -> Result<(), Error> {
    let mut expected = Expected::default();
    let mut feeds = feeds::Expected::default();
    let mut add = |entity: Entity| {
        if feed.is_some() {
            feeds.add(&entity);
        }
        expected.add(entity);
    };
    let malformed = audit.scan(|read| read.into_iter().for_each(&mut add)).await?;
    let mut candidates = BTreeSet::new();
    audit.report.objects = Comparison::NotCompared;
    if let Some(bucket) = bucket {
        candidates.extend(compare_objects(audit, bucket, &mut expected).await?);
    }
    audit.report.feeds = Comparison::NotCompared;
    let mut malformed_in_feeds = BTreeSet::new();
    if let Some(feed) = &feed {
        malformed_in_feeds = feeds::read(audit, feed, &mut feeds, |username| expected.has_user(username)).await?;
    }
    if audit.options.repair {
        let table = &audit.table.name;
        if let Some(bucket) = bucket {
            let name = format!("the bucket {}", bucket.name);
            expected.objects.require_agreement(table, &name, "objects are of photos")?;
        }
        if let Some(feed) = &feed {
            let name = format!("the table of feeds {}", feed.name);
            feeds.items.require_agreement(table, &name, "items are of users")?;
        }
    }

    let photos = PhotosCheck {
        table: audit.table.clone(),
        bucket,
        feed,
        favorites,
        options: audit.options.clone(),
        uncounted_before: uncounted::time_before(audit.options.min_age),
        unfinished_before: uncounted::time_before(audit.options.min_deletion_age),
    };
    candidates.append(&mut expected.candidates);
    candidates.extend(expected.names_without_user());
    candidates.extend(feeds.names_without_user().map(Candidate::Name));
    candidates.extend(expected.pictures());
    candidates.extend(expected.comment_counts());
    candidates.extend(expected.pinned_comments());
    candidates.extend(expected.pins());
    candidates.extend(expected.friendships());
    candidates.extend(expected.reports());
    candidates.extend(expected.decisions());
    candidates.extend(expected.complaints());
    candidates.extend(expected.links());
    candidates.extend(expected.early_reactions());
    candidates.extend(expected.uncounted_before(&photos.uncounted_before));
    let of_photos =
        stream::iter(expected.missing_photos()).map(|photo| inspect::responses_of_photo(&photos.table, photo));
    candidates.extend(of_photos.buffer_unordered(MAX_CONCURRENT_INSPECTIONS).try_concat().await?);

    audit.find(&MalformedItems::<Entity>::new(&photos.table), malformed).await?;
    let items = audit.find(&photos, candidates).await?;
    let counts = audit.find(&photos, expected.wrong_counts()).await?;
    let check = photos.feed.as_ref().map(|feed| feeds::check(audit, feed, bucket));
    let of_feeds = match &check {
        Some(check) => feeds::find(audit, check, feeds, malformed_in_feeds).await?,
        None => vec![],
    };
    if !audit.plan()? {
        return Ok(());
    }
    // A repaired item can change a count.
    audit.repair(&photos, items).await?;
    audit.repair(&photos, counts).await?;
    if let Some(check) = &check {
        for found in of_feeds {
            audit.repair(check, found).await?;
        }
    }
    Ok(())
}

/// Lists the bucket, and returns the candidates of both directions: objects that no photo needs,
/// and photos whose objects are missing.
async fn compare_objects(
    audit: &mut Audit<'_>,
    bucket: &Bucket,
    expected: &mut Expected,
) -> Result<Vec<Candidate>, Error> {
    let lists = stream::iter(objects::prefixes().map(|prefix| Box::pin(objects::pages(bucket, prefix))));
    let mut pages = lists.flatten_unordered(usize::from(audit.options.segments.max(1)));
    let (mut number, mut candidates) = (0, vec![]);
    while let Some(page) = pages.try_next().await? {
        number += page.len() as u64;
        // A candidate that is too young would be dropped at its inspection. It takes no memory
        // until then.
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
