//! The candidates of the audit of `<stage>.Favorite`.

use std::collections::BTreeSet;

use shared::entities::Key;
use shared::values::{DataId, EpochMillis, TagId, Username};

/// A possible defect: the items or the count to inspect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Candidate {
    /// The index keys of a favorite, the history of a removed favorite, or a tag.
    IndexKeys(Key),
    FavoriteTag(Username, DataId, TagId),
    /// The reservation with this folded name in its key, which may belong to no tag.
    Reservation(Username, String),
    /// Tags that had the same name in the Scan.
    DuplicateName(Username, BTreeSet<TagId>),
    /// The search terms that a favorite needs.
    Terms(Username, DataId),
    /// Search terms that may belong to no favorite.
    OrphanTerms(Username, DataId, EpochMillis, BTreeSet<String>),
    /// The reservation that a tag needs.
    MissingReservation(Username, TagId),
    FavoriteTags(Username, DataId),
    UserTagCount(Username),
    UserFavoriteCount(Username),
}
