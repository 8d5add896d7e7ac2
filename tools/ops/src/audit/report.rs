//! The result of an audit.

use std::fmt;

use super::finding::{Finding, Resolution};

/// The objects of the bucket, or the items of the table of feeds, that an audit has compared with
/// the items of the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Comparison {
    /// The audited table has nothing to do with them.
    #[default]
    None,
    /// The audit was not given the bucket or the table.
    NotCompared,
    /// The audit has compared this number of them.
    Compared(u64),
}

/// The result of an audit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The number of items in the table.
    pub items: u64,
    /// The objects in the bucket.
    pub objects: Comparison,
    /// The items in the table of feeds.
    pub feeds: Comparison,
    /// The findings, repaired or not.
    pub findings: Vec<(Finding, Resolution)>,
    /// The number of candidates that changed between any two inspections, so that the audit could
    /// not confirm them.
    pub unconfirmed: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |resolution| self.findings.iter().filter(|(_, other)| *other == resolution).count();
        write!(f, "{} items", self.items)?;
        if let Comparison::Compared(objects) = self.objects {
            write!(f, ", {objects} objects")?;
        }
        if let Comparison::Compared(items) = self.feeds {
            write!(f, ", {items} items of feeds")?;
        }
        write!(f, ", {} findings", self.findings.len())?;
        for (resolution, text) in [
            (Resolution::Repaired, "repaired"),
            (Resolution::Gone, "gone before the repair"),
            (Resolution::NeedsManualRepair, "left for manual repair"),
        ] {
            if count(resolution) > 0 {
                write!(f, ", {} {text}", count(resolution))?;
            }
        }
        if self.unconfirmed > 0 {
            write!(f, "; {} not confirmed because of concurrent changes", self.unconfirmed)?;
        }
        if self.objects == Comparison::NotCompared {
            write!(f, "; objects are not compared without a bucket")?;
        }
        if self.feeds == Comparison::NotCompared {
            write!(f, "; feeds are not compared without a feed table")?;
        }
        Ok(())
    }
}
