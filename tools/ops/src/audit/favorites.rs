//! The audit of `<stage>.Favorite`: checks that the favorite and the tag of every tag on a favorite
//! exist, that every tag has its name reserved and every favorite its search terms, that every
//! count matches the items that it counts, and that every index key matches the attributes from
//! which it is made.
//!
//! In a table that another program wrote, tags have no reservations and favorites have no terms;
//! the audit reports each of these as a finding. A missing count of tags is not a finding: the
//! first write that needs the count makes it. A missing count of favorites is one, because it
//! counts as 0.
//!
//! # Memory
//!
//! The audit keeps about 300 bytes for each tag, about 400 bytes and the title for each favorite,
//! and 4 bytes for each tag on a favorite. It keeps nothing for a term: the terms of a favorite are
//! added up to one hash, which is right only if they are the terms of its title. Terms of a
//! favorite that is missing or has changed also need one title and one hash.
//!
//! # Consistency of an inspection
//!
//! All reads are consistent and read the table itself: the tags on a favorite and the tags of a
//! user are in one partition each, and the title determines the keys of the terms.
//!
//! The audit reports work that a stream function is late with: a deleted tag that purge-deleted-tag
//! has not yet removed from favorites, and terms that index-favorite has not yet put or deleted. A
//! repair does the same work, and the function then finds it done. Some tags are left to the audit
//! alone: purge-deleted-tag does not look for those whose favorite does not exist or does not have
//! the tag among its `tagIds`. Only another program can leave such tags behind.
//!
//! # Repairs
//!
//! - A tag on a favorite is deleted if its favorite or its tag still does not exist. If only the
//!   tag is missing, the favorite's count, if present, is lowered by one in the same transaction,
//!   which also takes the tag out of `tagIds`. A tag on a favorite that differs from the favorite is
//!   overwritten with the favorite's attributes.
//! - A wrong index key is set if the key and the attributes from which it is made have not changed.
//! - A wrong count is set if it is still the same and no tag has been put on the favorite
//!   (`tagVersion`) or deleted (`deletions`) since. All other writers change the count together
//!   with what it counts, so then what it counts is the same too (for a count that has reached 0,
//!   see the audit of `quick-photos`). The same holds for `tagIds`. A favorite of another program
//!   may lack both, and gets both if it has tags. `deletions` itself cannot be counted again, so it is never
//!   changed. The count of a user's favorites is set if it is still the same.
//! - A missing reservation is made if the tag still has the name. An orphaned one is deleted if its
//!   tag still does not exist or still has another name.
//! - Missing terms are put on the condition that the favorite still has the title of which they
//!   are. Orphaned terms are deleted on the condition that it still does not. Each transaction
//!   writes up to 99 terms. If the favorite changes later, index-favorite also runs later.
//! - Tags with the same name need a person to decide between them.

mod candidate;
mod entity;
mod expected;
mod inspect;
mod repair;

use shared::Table;

use super::check::{Audit, Check, MalformedItems};
use super::error::Error;
use super::finding::FavoritesFinding;

use candidate::Candidate;
pub(super) use entity::Entity;
use expected::Expected;

/// The check of the valid items of the table.
struct FavoritesCheck {
    table: Table,
}

impl Check for FavoritesCheck {
    type Candidate = Candidate;
    type Finding = FavoritesFinding;

    async fn inspect(&self, candidate: &Candidate) -> Result<Option<FavoritesFinding>, Error> {
        inspect::inspect(&self.table, candidate).await
    }

    async fn repair(&self, finding: &FavoritesFinding) -> Result<bool, Error> {
        repair::repair(&self.table, finding).await
    }
}

/// Audits the table.
pub(super) async fn audit(audit: &mut Audit<'_>) -> Result<(), Error> {
    let mut expected = Expected::default();
    let malformed = audit
        .scan(|read| match read {
            Ok(entity) => expected.add(entity),
            Err(keys) => expected.add_malformed(keys),
        })
        .await?;
    let favorites = FavoritesCheck { table: audit.table.clone() };
    let (items, dependent) = expected.candidates();
    audit.find(&MalformedItems::<Entity>::new(&favorites.table), malformed).await?;
    let items = audit.find(&favorites, items).await?;
    let dependent = audit.find(&favorites, dependent).await?;
    if audit.plan()? {
        audit.repair(&favorites, items).await?;
        // The repairs above change the counts, and they free names that other tags need.
        audit.repair(&favorites, dependent).await?;
    }
    Ok(())
}
