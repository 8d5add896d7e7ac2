//! The findings of an audit.

mod action;
mod favorites;
mod feeds;
mod photos;
mod stored_count;

pub(super) use action::Action;
pub(super) use favorites::{FavoriteTagFault, FavoritesFinding, Snapshot, WrongIndexKeys};
pub(super) use feeds::{Engaged, FeedsFinding, HashtagSummaries, PictureOf};
pub(super) use photos::{
    CommentCount, DecisionFault, LinkFault, ObjectFault, PhotoCount, PhotosFinding, PicturesFault, Remains,
    ReportFault, TtlFault, UserCount, UserCounts,
};
use thiserror::Error;

/// A defect that two consecutive inspections saw in the same state. It is shown as one line.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(transparent)]
pub struct Finding(Defect);

/// A defect in the state of one inspection.
#[derive(Debug, Clone, PartialEq, Error)]
pub(super) enum Defect {
    // The keys can hold line breaks, so they are quoted and escaped.
    #[error("item {pk:?} {sk:?}: {reason}")]
    MalformedItem { pk: String, sk: String, reason: String },
    #[error(transparent)]
    Photos(#[from] PhotosFinding),
    #[error(transparent)]
    Favorites(#[from] FavoritesFinding),
    #[error(transparent)]
    Feeds(#[from] FeedsFinding),
}

impl Finding {
    pub(super) fn of(defect: impl Into<Defect>) -> Self {
        Self(defect.into())
    }

    /// Returns what a repair does with the finding, and what findings of this kind are, in the plural.
    pub(super) fn effect(&self) -> (Action, &'static str) {
        match &self.0 {
            // The audit does not know what the item is for.
            Defect::MalformedItem { .. } => (Action::Leave, "malformed items"),
            Defect::Photos(finding) => finding.effect(),
            Defect::Favorites(finding) => finding.effect(),
            Defect::Feeds(finding) => finding.effect(),
        }
    }

    /// Returns what a repair does with the finding.
    pub(super) fn action(&self) -> Action {
        self.effect().0
    }

    /// Returns whether a repair only starts a function, which does the rest.
    #[must_use]
    pub fn starts_function(&self) -> bool {
        matches!(self.action(), Action::Erase | Action::StartAgain)
    }

    /// Returns whether a repair deletes an item or an object. Search terms, popular photos, and
    /// entries of the directory and of hashtags do not count, because they are made from favorites, users and photos.
    pub(super) fn deletes(&self) -> bool {
        let is_derived = matches!(
            self.0,
            Defect::Favorites(FavoritesFinding::OrphanTerms { .. })
                | Defect::Feeds(
                    FeedsFinding::StaleEntry(_)
                        | FeedsFinding::StaleHashtagEntry(_)
                        | FeedsFinding::StalePopularPhoto(_)
                )
        );
        self.action() == Action::Delete && !is_derived
    }

    /// Returns the data of which a repair deletes something.
    pub(super) fn data_set(&self) -> DataSet {
        match self.0 {
            Defect::Photos(PhotosFinding::Object { .. }) => DataSet::Objects,
            Defect::Feeds(_) => DataSet::Feeds,
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
