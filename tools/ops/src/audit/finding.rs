//! The findings of an audit.

mod action;
mod favorites;
mod feeds;
mod photos;
mod stored_count;

pub(super) use action::Action;
pub use favorites::{FavoriteTagFault, FavoritesFinding, Snapshot, WrongIndexKeys};
pub use feeds::{FeedsFinding, HashtagSummaries, PictureOf};
pub(super) use photos::UserCounts;
pub use photos::{
    CommentCount, DecisionFault, LinkFault, ObjectFault, PhotoCount, PhotosFinding, PicturesFault, Remains,
    ReportFault, TtlFault, UserCount,
};
use thiserror::Error;

/// A defect that two consecutive inspections saw in the same state.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Finding {
    /// An item that is not a valid entity of its table. A repair never changes it.
    // The keys can hold line breaks, so they are quoted and escaped.
    #[error("item {pk:?} {sk:?}: {reason}")]
    MalformedItem {
        /// The item's partition key.
        pk: String,
        /// The item's sort key.
        sk: String,
        /// The reason why the item is not valid.
        reason: String,
    },
    /// A defect in the table `quick-photos`.
    #[error(transparent)]
    Photos(#[from] PhotosFinding),
    /// A defect in the table `<stage>.Favorite`.
    #[error(transparent)]
    Favorites(#[from] FavoritesFinding),
    /// A defect in the table `<stage>.Feed`.
    #[error(transparent)]
    Feeds(#[from] FeedsFinding),
}

impl Finding {
    /// Returns what a repair does with the finding.
    pub(super) fn action(&self) -> Action {
        match self {
            // The audit does not know what the item is for.
            Self::MalformedItem { .. } => Action::Leave,
            Self::Photos(finding) => finding.action(),
            Self::Favorites(finding) => finding.action(),
            Self::Feeds(finding) => finding.action(),
        }
    }

    /// Returns what findings of this kind are, in the plural.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::MalformedItem { .. } => "malformed items",
            Self::Photos(finding) => finding.kind(),
            Self::Favorites(finding) => finding.kind(),
            Self::Feeds(finding) => finding.kind(),
        }
    }

    /// Returns whether a repair deletes an item or an object. Search terms, popular photos, and
    /// entries of the directory and of hashtags do not count, because they are made from favorites, users and photos.
    pub(super) fn deletes(&self) -> bool {
        let is_derived = matches!(
            self,
            Self::Favorites(FavoritesFinding::OrphanTerms { .. })
                | Self::Feeds(
                    FeedsFinding::StaleEntry(_)
                        | FeedsFinding::StaleHashtagEntry(_)
                        | FeedsFinding::StalePopularPhoto(_)
                )
        );
        self.action() == Action::Delete && !is_derived
    }

    /// Returns the data of which a repair deletes something.
    pub(super) fn data_set(&self) -> DataSet {
        match self {
            Self::Photos(PhotosFinding::Object { .. }) => DataSet::Objects,
            Self::Feeds(_) => DataSet::Feeds,
            _ => DataSet::Table,
        }
    }
}

/// The data that an audit compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataSet {
    Table,
    Objects,
    Feeds,
}

/// The action that an audit took on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// The finding is only reported: the audit does not repair, or the finding has changed since it
    /// was planned to.
    Reported,
    /// The finding is repaired. An unfinished deletion is restarted.
    Repaired,
    /// The finding was gone before its repair, because of another repair or another writer.
    Gone,
    /// The finding is left as it is, because only a person can decide how to repair it.
    NeedsManualRepair,
}
