//! The functions that do the work that follows from changes and deletions, whatever the noun.

use shared::runtime::visitor::Visitor;

pub mod finish_deletion;
pub mod process_changes;

/// Shows each function of the noun to a visitor.
pub fn visit<V: Visitor>(visitor: &mut V) {
    visitor.records::<finish_deletion::FinishDeletion>();
    visitor.batches::<process_changes::ProcessChanges>();
}
