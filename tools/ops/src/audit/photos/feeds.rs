//! The audit of `<stage>.Feed`: compares the home feeds with the photos and the friendships, and
//! the directory with the users.
//!
//! # What has to be there
//!
//! - The `Latest` of an author has the newest photos that followers can see, and no photo that is
//!   gone or for its owner alone.
//! - A follower has a pull, or the entries of those of the author's newest photos that were
//!   published after the follower began to follow. An entry expires after 30 days, and is not
//!   missing then. Photos that the `Latest` lacks were never published, and every follower needs
//!   their entries. So the audit makes the feeds of a restored table.
//! - Every follower of a pulled author has a pull or an exception.
//! - A feed has a copy of the hashtags that its reader follows, at most 20.
//! - A pull or an exception has its friendship, and the pull count is the number of pulls.
//! - A picture in the bucket has a vector, and a vector has such a picture. The vector is
//!   in the index if everyone may see the picture, and only then.
//! - An engagement has the reactions of the caller to the photo.
//! - The reader whose feed an item is in exists, and so does the author of a `Latest` and of an
//!   exception. What is in the feeds of users who do not exist is a finding of these users, with
//!   their other items.
//! - The directory has exactly the entries of the users. It says nothing that the users do not, so
//!   entries of a user who does not exist are deleted.
//!
//! - The lists of hashtags have exactly the entries of the photos that everyone may see. The summary of
//!   a hashtag is that of these photos, and its listings are those that the summary says.
//!
//! - A photo has exactly the popular photo of its level. A ranking expires within an hour, so nothing compares
//!   it.
//!
//! - A bell names the notifications that are newer than what the user has seen.
//! - An item of devices has exactly the devices of its set of ids. A device whose app starts again
//!   writes itself anew, so no repair changes one.
//!
//! An inbox itself is not compared with anything, and no repair makes one: nothing else keeps what
//! it says, and it expires after 90 days. That of a user who does not exist is a finding of the
//! user.
//!
//! An entry of a feed without its photo, its friendship or its author is no defect: no page shows
//! it, and it expires.
//!
//! # Memory
//!
//! The audit keeps about 150 bytes for each friendship and each user, and about 60 bytes for each
//! photo, up to [`MAX_LATEST`] photos of an author. It keeps nothing for an entry: an entry only
//! sets a bit of its friendship, or counts for its user. For each user and photo with a reaction,
//! it keeps about 150 bytes, and for each photo with a picture about 100 bytes until it finds the
//! vector. For each hashtag of a photo, it keeps about 150 bytes until it finds the entry, and for each
//! hashtag about 1 KB. For each popular photo of the last days, it keeps about 150 bytes until it finds both. For each user with an inbox, it keeps the bell and the newest 41 notifications, about 6 KB
//! at most.
//!
//! # Order
//!
//! The order of the repairs matters. A pull needs a right count. Missing entries are put before the
//! photos are added to the `Latest`, because the audit finds by the `Latest` that a photo was never
//! published: an audit that is killed in between finds the same again.

mod bells;
mod candidate;
mod directory;
mod engagements;
mod entity;
mod expected;
mod feeds_check;
mod followed;
mod hashtags;
mod inspect;
mod popular;
mod repair;
mod required;
mod vectors;

use std::collections::BTreeSet;
use std::mem;

#[cfg(doc)]
use shared::entities::MAX_LATEST;
use shared::values::Username;
use shared::{Bucket, Table};

use candidate::Candidate;
pub(in crate::audit) use entity::Entity;
pub(super) use expected::Expected;
use feeds_check::FeedsCheck;
use required::Times;

use crate::audit::check::{Audit, Check, Found, MalformedItems};
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::layout::Keys;
use crate::audit::report::Comparison;

impl Check for FeedsCheck {
    type Candidate = Candidate;
    type Finding = FeedsFinding;

    async fn inspect(&self, candidate: &Candidate) -> Result<Option<FeedsFinding>, Error> {
        self.inspect(candidate).await
    }

    async fn repair(&self, finding: &FeedsFinding) -> Result<bool, Error> {
        self.repair(finding).await
    }
}

/// Reads the table of feeds. `has_user` tells whether the Scan of `quick-photos` has returned a
/// user. Returns the keys of malformed items.
pub(super) async fn read(
    audit: &mut Audit<'_>,
    feed: &Table,
    expected: &mut Expected,
    has_user: impl Fn(&Username) -> bool,
) -> Result<BTreeSet<Keys>, Error> {
    let mut add = |entity| expected.add_to_feeds(entity, &has_user);
    let (items, malformed) = audit.scan_table(feed, |read| read.into_iter().for_each(&mut add)).await?;
    audit.report.feeds = Comparison::Compared(items);
    Ok(malformed)
}

/// Returns the check of the table of feeds.
pub(super) fn check(audit: &Audit<'_>, feed: &Table, bucket: Option<&Bucket>) -> FeedsCheck {
    let (table, feed, min_age) = (audit.table.clone(), feed.clone(), audit.options.min_age);
    FeedsCheck { table, feed, bucket: bucket.cloned(), min_age }
}

/// Finds what is wrong with the feeds. Returns the findings in the order in which to repair them.
pub(super) async fn find(
    audit: &mut Audit<'_>,
    feeds: &FeedsCheck,
    mut expected: Expected,
    malformed: BTreeSet<Keys>,
) -> Result<Vec<Vec<Found<FeedsCheck>>>, Error> {
    let now = || Times::now(feeds.min_age);
    audit.find(&MalformedItems::<Entity>::new(&feeds.feed), malformed).await?;
    let candidates = mem::take(&mut expected.candidates);
    let hashtags: Vec<Candidate> = expected.hashtags(&candidates).collect();
    Ok(vec![
        audit.find(feeds, candidates).await?,
        audit.find(feeds, expected.wrong_counts()).await?,
        audit.find(feeds, expected.pulled_hashtags()).await?,
        audit.find(feeds, expected.followers(&now())).await?,
        audit.find(feeds, expected.wrong_latest(&now())).await?,
        audit.find(feeds, expected.conversions(&now())).await?,
        audit.find(feeds, expected.engagements()).await?,
        audit.find(feeds, expected.bells()).await?,
        audit.find(feeds, expected.vectors()).await?,
        audit.find(feeds, expected.directory()).await?,
        audit.find(feeds, hashtags).await?,
    ])
}
