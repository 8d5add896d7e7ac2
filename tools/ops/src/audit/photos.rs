//! The audit of `quick-photos`: every count against what it counts, and every item for its owner.
//!
//! In memory it keeps some 300 bytes for each user and some 350 for each photo, and nothing for reactions and
//! friendships: they go into the differences of the counts. Where an owner turns out to be missing, Queries find again
//! what names it.
//!
//! What two looks see:
//!
//! - What one key or one partition can tell is read consistently: users, photos, followers, the reactions of a user.
//! - Whom a user follows, and the reactions to a photo, only the inverted index can tell, which
//!   [follows the table](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.Writes) with a
//!   lag, mostly of milliseconds. A count changes in the transaction that changes what it counts. So if the count
//!   stayed the same from one look to the next, the index has had all the time between to catch up with it.
//! - A photo whose deletion takes its time shows up by its reactions, which finish-deletion is about to delete.
//!
//! What is mended:
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

mod entity;
mod finding;
mod look;
mod mend;
mod tally;

use std::collections::BTreeSet;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::Table;
use shared::dynamodb::Item;
use shared::model::photos::{INVERTED_INDEX, PK, SK, photo_sk};
use shared::values::Username;

use super::finding::Outcome;
use super::read::Layout;
use super::settle::{Audit, Check, Shapeless};
use super::{AT_ONCE, Error, Event};

use finding::Suspect;
pub use finding::{Count, Finding, PhotoIs};
use tally::Tally;

/// The table.
pub(super) struct Photos {
    table: Table,
    /// Who is being deleted.
    deletions: Vec<Username>,
}

impl Layout for Photos {
    const KEY: [&'static str; 2] = [PK, SK];
    const INDEXES: &'static [&'static str] = &[INVERTED_INDEX];
    const ATTRIBUTES: &'static [&'static str] = &[
        PK,
        SK,
        "username",
        "name",
        "followers",
        "following",
        "pinnedImage",
        "timestamp",
        "location",
        "reactions",
        "reactingUser",
        "reactionType",
        "photo",
        "followedUser",
        "followingUser",
        "erasing",
        "since",
    ];
    type Entity = entity::Entity;

    fn read(item: Item) -> Result<Self::Entity, String> {
        entity::read(item)
    }
}

impl Check for Photos {
    type Suspect = Suspect;
    type Finding = Finding;

    async fn look(&self, suspect: &Suspect) -> Result<Option<Finding>, Error> {
        look::look(&self.table, &self.deletions, suspect).await
    }

    async fn mend(&self, finding: &Finding) -> Result<bool, Error> {
        mend::mend(&self.table, finding).await
    }
}

/// Audits the table.
pub(super) async fn audit<W: FnMut(Event<'_>)>(audit: &mut Audit<W>) -> Result<(), Error> {
    let mut tally = Tally::default();
    let shapeless = audit.scan::<Photos>(|read| read.into_iter().for_each(|entity| tally.add(entity))).await?;
    let table = audit.table.clone();

    let deletions: Vec<Username> = tally.deletions().cloned().collect();
    let mut suspects: BTreeSet<Suspect> = tally.pins().collect();
    suspects.extend(deletions.iter().cloned().map(Suspect::Deletion));
    let of_users = stream::iter(tally.missing_users()).map(|username| look::left_by_user(&table, username));
    suspects.extend(of_users.buffer_unordered(AT_ONCE).try_concat().await?);
    let of_photos = stream::iter(tally.missing_photos()).map(|photo| look::left_by_photo(&table, photo));
    suspects.extend(of_photos.buffer_unordered(AT_ONCE).try_concat().await?);

    let photos = Photos { table, deletions };
    // A repaired photo leaves reactions, and what counted is looked at when all that may be uncounted is.
    let (of_photos, mut others): (BTreeSet<_>, BTreeSet<_>) =
        suspects.into_iter().partition(|suspect| matches!(suspect, Suspect::Photo(..)));
    audit.settle(&Shapeless::<Photos>::of(&photos.table), shapeless).await?;
    audit.settle(&photos, of_photos).await?;
    for (finding, outcome) in &audit.report.findings {
        if let (super::Finding::Photos(Finding::Photo { username, timestamp }), Outcome::Repaired) = (finding, outcome)
        {
            others.extend(look::left_by_photo(&photos.table, &photo_sk(username, timestamp)).await?);
        }
    }
    audit.settle(&photos, others).await?;
    audit.settle(&photos, tally.counts()).await
}
