//! The findings of an audit.

mod favorites;
mod feeds;
mod photos;
mod stored_count;

use std::fmt;

pub use favorites::{FavoriteTagFault, FavoritesFinding, Snapshot, WrongIndexKeys};
pub use feeds::FeedsFinding;
pub use photos::{ObjectFault, PhotoState, PhotosFinding, TtlFault, UserCount};

/// A defect that two consecutive inspections saw in the same state.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// An item that is not a valid entity of its table. A repair never changes it.
    MalformedItem {
        /// The item's partition key.
        pk: String,
        /// The item's sort key.
        sk: String,
        /// The reason why the item is not valid.
        reason: String,
    },
    /// A defect in the table `quick-photos`.
    Photos(PhotosFinding),
    /// A defect in the table `<stage>.Favorite`.
    Favorites(FavoritesFinding),
    /// A defect in the table `<stage>.Feed`.
    Feeds(FeedsFinding),
}

impl From<PhotosFinding> for Finding {
    fn from(finding: PhotosFinding) -> Self {
        Self::Photos(finding)
    }
}

impl From<FavoritesFinding> for Finding {
    fn from(finding: FavoritesFinding) -> Self {
        Self::Favorites(finding)
    }
}

impl From<FeedsFinding> for Finding {
    fn from(finding: FeedsFinding) -> Self {
        Self::Feeds(finding)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Keys of a malformed item can hold line breaks, so they are quoted and escaped.
            Self::MalformedItem { pk, sk, reason } => write!(f, "item {pk:?} {sk:?}: {reason}"),
            Self::Photos(finding) => finding.fmt(f),
            Self::Favorites(finding) => finding.fmt(f),
            Self::Feeds(finding) => finding.fmt(f),
        }
    }
}

/// The action that an audit took on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The finding is only reported, because the audit does not repair.
    Reported,
    /// The finding is repaired. An unfinished deletion is restarted.
    Repaired,
    /// The finding is left as it is, because only a person can decide how to repair it.
    NeedsManualRepair,
}
