//! The action of a repair on a finding.

use std::fmt;

/// The action of a repair on a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) enum Action {
    /// Deletes an item or an object.
    Delete,
    /// Deletes everything of a user.
    Erase,
    /// Writes what is missing or wrong.
    Write,
    /// Starts a function again, which does the rest.
    StartAgain,
    /// Nothing, because only a person can decide how to repair it.
    Leave,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Delete => "deletes",
            Self::Erase => "erases",
            Self::Write => "corrects",
            Self::StartAgain => "starts again",
            Self::Leave => "leaves to a person",
        })
    }
}
