//! Alerts: the photos of which followers are told who have asked for it.
//!
//! An alert is in the partition of the follower. Its sort key is the photo, so that `InvertedIndex`
//! has the followers who were told of a photo. The time of its event is that of the photo's id, so an
//! alert that is written again is the same item with the same event.

use serde::{Deserialize, Serialize};

use super::key::{Key, PK, USER_PREFIX, user_pk};
use super::notification::Topic;
use super::position::Position;
use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::values::{NotificationKind, PhotoId, Username};

/// The prefix of the sort keys of alerts. They sort before the requests to follow, so that no Query of
/// requests or followers reads them.
pub const ALERT_PREFIX: &str = "#ALERT#";
/// The age from which on nobody is told of a photo any more, in seconds: an hour. An older photo that
/// becomes visible is no news, and send-push sends nothing as old.
pub const MAX_ALERT_AGE_SECONDS: u64 = 60 * 60;

/// The fact that a follower is told of a photo. It expires with the notification that tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// The user who is told.
    pub follower: Username,
    /// The owner of the photo.
    pub owner: Username,
    /// The id of the photo.
    pub photo: PhotoId,
    /// The time at which the alert expires, in seconds since 1970.
    pub ttl: u64,
}

impl Alert {
    /// Returns the alert that tells a follower of a photo.
    #[must_use]
    pub fn new(follower: Username, position: &Position) -> Self {
        let ttl = alert_topic(position).expiry();
        Self { follower, owner: position.author.clone(), photo: position.id.clone(), ttl }
    }

    /// Returns the position of the photo.
    #[must_use]
    pub fn position(&self) -> Position {
        Position { id: self.photo.clone(), author: self.owner.clone() }
    }

    /// Returns the item.
    pub fn item(&self) -> Result<Item, Error> {
        entity::to_item(Key::alert(&self.follower, &self.position()), self)
    }
}

impl Key {
    /// Returns the key of an [`Alert`](super::Alert).
    #[must_use]
    pub fn alert(follower: &Username, position: &Position) -> Self {
        Self::of_photos(user_pk(follower), alert_sk(position))
    }
}

/// Returns the sort key of every alert of a photo.
#[must_use]
pub fn alert_sk(position: &Position) -> String {
    format!("{ALERT_PREFIX}{}#{}", position.author, position.id)
}

/// Returns the topic of the notification that tells of a photo.
#[must_use]
pub fn alert_topic(position: &Position) -> Topic {
    Topic::new(NotificationKind::Photo, Some(position.clone()), &position.id.time())
}

/// Returns the user who is told, from the key of an alert: the index does not have the attribute.
pub fn alerted_user(alert: &Item) -> Result<Username, Error> {
    let pk = alert.get(PK).and_then(|pk| pk.as_s().ok()).and_then(|pk| pk.strip_prefix(USER_PREFIX));
    pk.and_then(|user| user.parse().ok()).ok_or_else(|| Error::internal("the key is not that of an alert"))
}
