//! The audit of `<stage>.Favorite`: every tag on a favorite for its favorite and its tag, every name and every term for
//! what it is of, every count against what it counts, and every index key against the attributes that it is made of.
//!
//! On a table that another program wrote, tags without a name that is kept and favorites without terms are what it
//! finds: one finding for each. A count that is missing is none; nobody here has counted yet.
//!
//! In memory it keeps some 300 bytes for each tag, some 400 and the title for each favorite, 4 for each tag on one, and
//! nothing for terms: they go into a sum for each favorite, which comes out right only if its terms are those of its
//! title. Terms whose favorite isn't there, or has become another, are one title with one sum as well.
//!
//! All is read consistently, and from the table itself: the tags on a favorite, and those of a user, lie in one
//! partition each, and terms at the keys that the title says.
//!
//! What stream functions are late with shows up meanwhile: a deleted tag that purge-deleted-tag, which waits two seconds
//! before it begins, has still to take off favorites, and terms that index-favorite has still to put or delete. A repair
//! does what they are about to do, and they find it done.
//!
//! What is mended:
//!
//! - A tag on a favorite is deleted if its favorite, or the tag, is still gone. In the latter case the favorite counts
//!   one less, in the same transaction, if it counts. One that says something else is set to what its favorite says.
//! - An index key is set to what the attributes say, if both are still as they were found.
//! - A count is set if it still says what it said. Everybody else changes it together with what it counts, so the
//!   difference does not depend on what they do meanwhile. (But for a count that has come down to 0, see
//!   [`photos`](super::photos).) How many tags were deleted nobody can count again: `deletions` is never touched.
//! - A name is kept for a tag that still has it, and given free if its tag still is gone or has another.
//! - Terms are put while the favorite has the title that they are of, and deleted while it hasn't, a transaction for
//!   each 99. When the favorite changes after that, index-favorite comes after that too.
//! - Two tags with one name are for a person to tell apart.

mod entity;
mod finding;
mod look;
mod mend;
mod tally;

use shared::Table;
use shared::dynamodb::Item;
use shared::model::favorites::{
    GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, GSI_TWO, GSI_TWO_PK, GSI_TWO_SK, LSI_ONE, LSI_ONE_SK, LSI_THREE, LSI_THREE_SK,
    LSI_TWO, LSI_TWO_SK, PK, SK,
};

use super::read::Layout;
use super::settle::{Audit, Check, Shapeless};
use super::{Error, Event};

use finding::Suspect;
pub use finding::{AsFound, Finding, Misplaced, WrongEntry};
use tally::Tally;

/// The table.
pub(super) struct Favorites {
    table: Table,
}

impl Layout for Favorites {
    const KEY: [&'static str; 2] = [PK, SK];
    const INDEXES: &'static [&'static str] = &[LSI_ONE, LSI_TWO, LSI_THREE, GSI_ONE, GSI_TWO];
    const ATTRIBUTES: &'static [&'static str] = &[
        PK,
        SK,
        LSI_ONE_SK,
        LSI_TWO_SK,
        LSI_THREE_SK,
        GSI_ONE_PK,
        GSI_ONE_SK,
        GSI_TWO_PK,
        GSI_TWO_SK,
        "dataId",
        "dataType",
        "title",
        "clipTime",
        "tagCount",
        "tagIds",
        "ttl",
        "tagId",
        "tagName",
        "createTime",
        "lastAccessTime",
        "tags",
    ];
    type Entity = entity::Entity;

    fn read(item: Item) -> Result<Self::Entity, String> {
        entity::read(item)
    }
}

impl Check for Favorites {
    type Suspect = Suspect;
    type Finding = Finding;

    async fn look(&self, suspect: &Suspect) -> Result<Option<Finding>, Error> {
        look::look(&self.table, suspect).await
    }

    async fn mend(&self, finding: &Finding) -> Result<bool, Error> {
        mend::mend(&self.table, finding).await
    }

    fn needs_a_person(finding: &Finding) -> bool {
        matches!(finding, Finding::SameName { .. })
    }
}

/// Audits the table.
pub(super) async fn audit<W: FnMut(Event<'_>)>(audit: &mut Audit<W>) -> Result<(), Error> {
    let mut tally = Tally::default();
    let shapeless = audit
        .scan::<Favorites>(|read| match read {
            Ok(entity) => tally.add(entity),
            Err(keys) => tally.add_shapeless(keys),
        })
        .await?;
    let favorites = Favorites { table: audit.table.clone() };
    let (items, rest) = tally.suspects();
    audit.settle(&Shapeless::<Favorites>::of(&favorites.table), shapeless).await?;
    audit.settle(&favorites, items).await?;
    // What is counted is what those leave, and a name that they give free is kept for whose it is.
    audit.settle(&favorites, rest).await
}
