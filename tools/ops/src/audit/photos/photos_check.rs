//! The check of the table `quick-photos`: what it compares, and the times that decide.

use shared::values::Timestamp;
use shared::{Bucket, Table};

use crate::audit::options::Options;

/// The check of the valid items of the table.
pub(super) struct PhotosCheck<'a> {
    pub(super) table: Table,
    pub(super) bucket: Option<&'a Bucket>,
    pub(super) feed: Option<Table>,
    pub(super) favorites: Option<Table>,
    pub(super) options: Options,
    /// A reaction or a friendship that has not been counted since this time, or for longer, is a
    /// finding.
    pub(super) uncounted_before: Timestamp,
    /// A deletion that has not been finished since this time, or for longer, is a finding.
    pub(super) unfinished_before: Timestamp,
}
