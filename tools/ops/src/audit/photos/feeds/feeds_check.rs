//! The check of the table of feeds: the tables that it compares.

use std::time::Duration;

use shared::{Bucket, Table};

/// The check of the valid items of the table of feeds.
pub(in crate::audit::photos) struct FeedsCheck {
    /// The table `quick-photos`.
    pub(super) table: Table,
    pub(super) feed: Table,
    /// The bucket of the pictures. Without it, no vector is missing, because the audit could not
    /// make it.
    pub(super) bucket: Option<Bucket>,
    pub(super) min_age: Duration,
}
