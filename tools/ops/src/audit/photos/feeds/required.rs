//! The entries that a follower needs.

use std::time::Duration;

use shared::entities::{BACKFILL, ENTRY_LIFETIME_SECONDS, Latest};
use shared::values::{PhotoId, Timestamp};

use crate::audit::photos::uncounted::time_before;

/// The times that decide what a feed has to have.
pub(super) struct Times {
    /// The feeds show every change until this time.
    pub(super) settled: Timestamp,
    /// The entries of older photos may have expired.
    pub(super) unexpired: Timestamp,
}

impl Times {
    pub(super) fn now(min_age: Duration) -> Self {
        let lifetime = Duration::from_secs(ENTRY_LIFETIME_SECONDS);
        Self { settled: time_before(min_age), unexpired: time_before(lifetime) }
    }
}

/// Returns the photos of which a follower needs an entry, with their position among the newest
/// photos of the author, from the newest. `since` is the time of the friendship.
pub(super) fn required<'a>(
    newest: impl Iterator<Item = &'a PhotoId>,
    latest: Option<&Latest>,
    since: &Timestamp,
    times: &Times,
) -> impl Iterator<Item = (usize, &'a PhotoId)> {
    newest.take(BACKFILL).enumerate().filter(move |(_, photo)| {
        let is_published = latest.is_some_and(|latest| latest.photos.contains(photo));
        let time = photo.time();
        let was_pushed = time > *since && time > times.unexpired;
        time <= times.settled && (was_pushed || !is_published)
    })
}
