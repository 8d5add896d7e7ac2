//! What an audit finds, in whichever table.

use std::fmt;

use super::{favorites, photos};

/// What is not right, after two looks that agree.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// An item that is none of the entities. It is never touched.
    Shapeless {
        /// Its partition key.
        pk: String,
        /// Its sort key.
        sk: String,
        /// What doesn't fit.
        reason: String,
    },
    /// Of the table `quick-photos`.
    Photos(photos::Finding),
    /// Of the table `<stage>.Favorite`.
    Favorites(favorites::Finding),
}

impl From<photos::Finding> for Finding {
    fn from(finding: photos::Finding) -> Self {
        Self::Photos(finding)
    }
}

impl From<favorites::Finding> for Finding {
    fn from(finding: favorites::Finding) -> Self {
        Self::Favorites(finding)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Quoted, because nobody knows what is in there.
            Self::Shapeless { pk, sk, reason } => write!(f, "item {pk:?} {sk:?}: {reason}"),
            Self::Photos(finding) => finding.fmt(f),
            Self::Favorites(finding) => finding.fmt(f),
        }
    }
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: repairing was not asked for.
    Reported,
    /// It is mended; or, with a deletion, on its way again.
    Repaired,
    /// It can't be mended.
    Left,
}

/// What a count says, for a line of the report.
pub(super) struct Says(pub(super) Option<i64>);

impl fmt::Display for Says {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(count) => write!(f, "{count}"),
            None => write!(f, "missing"),
        }
    }
}
