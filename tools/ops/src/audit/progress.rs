//! The progress of an audit.

use super::finding::{Finding, Resolution};
use super::plan::Plan;

/// The progress of an audit.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A page of the Scan was read.
    Scanned {
        /// The number of items that have been read.
        items: u64,
    },
    /// A page of the list of objects was read.
    Listed {
        /// The number of objects that have been read.
        objects: u64,
    },
    /// The audit is about to inspect this number of candidates.
    Inspecting(usize),
    /// The audit has found everything, and repairs the findings of this plan unless the flag is set
    /// to `false`.
    Planned(&'a Plan, &'a mut bool),
    /// A candidate is confirmed as a finding, or a finding of the plan is repaired.
    Found(&'a Finding, Resolution),
}
