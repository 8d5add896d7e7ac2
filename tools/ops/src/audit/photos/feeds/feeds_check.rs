//! The check of the table of feeds: the tables that it compares.

use std::time::Duration;

use shared::Table;

/// The check of the valid items of the table of feeds.
pub(in crate::audit::photos) struct FeedsCheck {
    /// The table `quick-photos`.
    pub(super) table: Table,
    pub(super) feed: Table,
    pub(super) min_age: Duration,
}
