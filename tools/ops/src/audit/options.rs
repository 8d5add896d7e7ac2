//! The options of an audit.

use std::collections::BTreeSet;
use std::time::Duration;

use shared::values::Username;

/// The options of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether the audit repairs its findings.
    pub repair: bool,
    /// The maximum number of items and objects that a repair deletes. Without it, a repair deletes
    /// [few of them](super::Plan).
    pub delete_at_most: Option<u64>,
    /// The users whose items a repair erases if their own item is lost. It leaves those of all
    /// others.
    pub erase: BTreeSet<Username>,
    /// The number of segments in which the Scan reads the table concurrently; at least 1.
    pub segments: u16,
    /// The time between two inspections of a candidate. It has to be longer than the lag of an
    /// index or of a stream function, or that lag is reported as a finding.
    pub recheck_delay: Duration,
    /// The age from which an object can be a finding. It has to be longer than the time for which
    /// Lambda repeats the event of an upload, or work that process-photo and reject-photo still do
    /// is reported as a finding.
    pub min_object_age: Duration,
    /// The age from which a reaction or a friendship that is not counted yet can be a finding, and
    /// a photo or a friendship that is not in the feeds yet. It has to be longer than
    /// process-changes takes, or that work is reported as a finding.
    pub min_age: Duration,
    /// The age from which a deletion that is not finished can be a finding. It has to be longer
    /// than finish-deletion takes, or that work is reported as a finding.
    pub min_deletion_age: Duration,
}

/// The age of stream records at which the alarm of process-changes fires.
const MAX_RECORD_AGE: Duration = Duration::from_mins(5);

/// The time for which Lambda keeps the event of an upload: 6 hours for process-photo, and then [6
/// hours](https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html) for
/// reject-photo.
const MAX_EVENT_AGE: Duration = Duration::from_hours(12);

/// The time for which [a stream keeps its
/// records](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html).
const STREAM_RETENTION: Duration = Duration::from_hours(24);

impl Default for Options {
    fn default() -> Self {
        Self {
            repair: false,
            delete_at_most: None,
            erase: BTreeSet::new(),
            segments: 4,
            recheck_delay: Duration::from_secs(2),
            min_object_age: MAX_EVENT_AGE,
            min_age: MAX_RECORD_AGE,
            min_deletion_age: STREAM_RETENTION,
        }
    }
}
