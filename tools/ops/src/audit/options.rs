//! The options of an audit.

use std::time::Duration;

/// The options of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether the audit repairs its findings.
    pub repair: bool,
    /// The number of segments in which the Scan reads the table concurrently; at least 1.
    pub segments: u16,
    /// The time between two inspections of a candidate. It has to be longer than the lag of an index or of a stream
    /// function, or that lag is reported as a finding.
    pub recheck_delay: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { repair: false, segments: 4, recheck_delay: Duration::from_secs(2) }
    }
}
