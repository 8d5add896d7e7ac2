//! The live screens of a user: the open windows and apps, which are told at once what has changed.
//!
//! All screens of a user are one item, so that one read has all to which a message goes, and one write
//! keeps the maximum. A [`Watcher`] is a screen in the partition of the photo that it shows.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::dynamodb::expiry;
use crate::values::{PhotoReference, ScreenId, Ticket, Timestamp, Username};

/// The prefix of the partition keys of [`Screens`]. The user follows.
pub const LIVE_PREFIX: &str = "Live#";
/// The prefix of the partition keys of [`Watcher`]. The owner and the id of the photo follow.
pub const WATCH_PREFIX: &str = "Watch#";
/// The prefix of the sort keys of [`Watcher`]. The user and the id of the screen follow.
pub const WATCHER_PREFIX: &str = "SCREEN#";
/// The sort key of the time at which the watchers of a photo were last [told](Key::told).
pub const TOLD: &str = "TOLD";
/// The maximum number of screens of a user. The next one replaces the one that was not used for longest.
pub const MAX_SCREENS: usize = 10;
/// The maximum number of screens that are told of a change of the photo that they show.
pub const MAX_TOLD: usize = 500;
/// The time within which a screen connects.
pub const TICKET_LIFETIME: Duration = Duration::from_mins(1);
/// The time for which a screen lives after its last use. API Gateway ends a connection after [2
/// hours](https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html),
/// and the screen may have connected just before its ticket expired.
pub const SCREEN_LIFETIME: Duration = Duration::from_mins(121);

/// The screens of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screens {
    /// The screens by their ids.
    pub screens: BTreeMap<ScreenId, Screen>,
    /// The number of changes, on which the condition of the next change is.
    pub revision: u64,
    /// The time at which the last screen expires, in seconds since 1970.
    pub ttl: u64,
    /// The time at which the screens were last told of the bell, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<u64>,
}

/// A screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Screen {
    /// The ticket, until the screen connects with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<Ticket>,
    /// The id of the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// The photo that the screen shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo: Option<PhotoReference>,
    /// The time at which the app last sent the screen.
    pub used: Timestamp,
}

impl Screens {
    /// Takes out the screens that have expired, and those that were not used for longest until there
    /// are fewer than [`MAX_SCREENS`] beside the one with this id. Returns them.
    pub fn make_room(&mut self, id: &ScreenId) -> Vec<(ScreenId, Screen)> {
        let expired = self.screens.extract_if(.., |_, screen| screen.has_expired());
        let mut removed: Vec<_> = expired.collect();
        while self.screens.keys().filter(|other| *other != id).count() >= MAX_SCREENS {
            let others = self.screens.iter().filter(|(other, _)| *other != id);
            let Some(unused) = others.min_by_key(|(_, screen)| &screen.used).map(|(id, _)| id.clone()) else { break };
            removed.extend(self.screens.remove_entry(&unused));
        }
        removed
    }

    /// Returns the connections of the screens that have not expired.
    pub fn connections(&self) -> impl Iterator<Item = (&ScreenId, &str)> {
        let screens = self.screens.iter().filter(|(_, screen)| !screen.has_expired());
        screens.filter_map(|(id, screen)| Some((id, screen.connection.as_deref()?)))
    }
}

impl Screen {
    /// Returns the time at which the screen expires, in seconds since 1970.
    #[must_use]
    pub fn ttl(&self) -> u64 {
        self.used.seconds() + SCREEN_LIFETIME.as_secs()
    }

    /// Returns the ticket, unless it is too old to connect with it.
    #[must_use]
    pub fn valid_ticket(&self) -> Option<&Ticket> {
        self.ticket.as_ref().filter(|_| !expiry::is_over(self.used.seconds() + TICKET_LIFETIME.as_secs()))
    }

    /// Returns whether the screen has expired.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        expiry::is_over(self.ttl())
    }
}

/// A screen that shows a photo, in the partition of the photo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watcher {
    /// The user who has the screen.
    pub username: Username,
    /// The id of the screen.
    pub screen: ScreenId,
    /// The time at which the screen expires, in seconds since 1970.
    pub ttl: u64,
}

impl Key {
    /// Returns the key of the [`Screens`] of a user.
    #[must_use]
    pub fn screens(user: &Username) -> Self {
        Self::of_feed(format!("{LIVE_PREFIX}{user}"), "Screens".to_owned())
    }

    /// Returns the key of a [`Watcher`] of a photo.
    #[must_use]
    pub fn watcher(photo: &PhotoReference, user: &Username, screen: &ScreenId) -> Self {
        Self::of_feed(watchers_pk(photo), format!("{WATCHER_PREFIX}{user}#{screen}"))
    }

    /// Returns the key of the item whose attribute `told` is the time, in milliseconds since 1970, at
    /// which the watchers of a photo were last told of a change.
    #[must_use]
    pub fn told(photo: &PhotoReference) -> Self {
        Self::of_feed(watchers_pk(photo), TOLD.to_owned())
    }
}

/// Returns the partition key of the [`Watcher`]s of a photo.
#[must_use]
pub fn watchers_pk(PhotoReference { username, id }: &PhotoReference) -> String {
    format!("{WATCH_PREFIX}{username}#{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(used: &str) -> Screen {
        Screen { ticket: None, connection: Some(used.to_owned()), photo: None, used: used.parse().unwrap() }
    }

    #[test]
    fn the_screen_that_was_not_used_for_longest_makes_room() {
        let id = |number: usize| -> ScreenId { format!("screen-{number}").parse().unwrap() };
        let mut screens = Screens::default();
        screens.screens.insert(id(0), screen("2024-05-30T15:42:38.000Z"));
        for number in 1..=MAX_SCREENS {
            screens.screens.insert(id(number), screen(&format!("2999-05-30T15:42:{:02}.000Z", 30 - number)));
        }
        assert_eq!(screens.connections().count(), MAX_SCREENS, "one has expired");
        let removed: Vec<_> = screens.clone().make_room(&id(99)).into_iter().map(|(id, _)| id).collect();
        assert_eq!(removed, [id(0), id(MAX_SCREENS)]);
        let removed: Vec<_> = screens.make_room(&id(3)).into_iter().map(|(id, _)| id).collect();
        assert_eq!(removed, [id(0)], "the screen is one of them");
    }
}
