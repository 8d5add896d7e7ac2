//! The functions that do the work that follows from changes and deletions, whatever the noun.

pub mod finish_deletion;
pub mod process_changes;
