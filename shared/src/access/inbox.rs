//! The notifications that the inbox of a user shows.

use std::collections::BTreeMap;

use super::visible::Visible;
use crate::dynamodb::{Item, batch, entity};
use crate::entities::{InInbox, Key, MAX_NAMED, MUTES, Notification, Number, Topic, has_any, has_blocks};
use crate::values::Username;
use crate::{Error, Table};

/// Returns what the inbox of a user has of these topics. `profile` is the item of the user, and
/// `inbox` has the notifications.
///
/// For a notification about a photo of somebody else, a consistent `BatchGetItem` reads the photo, with
/// the friendship if the user was told of a new photo, and one the friendship that a photo for followers
/// needs. For a user who is in a block, or mutes
/// anybody, one reads the blocks. Photos of the user are not read: when one is gone, its reactions
/// and comments go too.
pub async fn in_inbox(
    table: &Table,
    user: &Username,
    profile: &Item,
    topics: Vec<Topic>,
    mut inbox: Vec<Item>,
) -> Result<Vec<(Topic, InInbox)>, Error> {
    let mut notifications: BTreeMap<Topic, Notification> = BTreeMap::new();
    for topic in &topics {
        if let Some(item) = batch::take(&mut inbox, Key::notification(user, topic)) {
            notifications.insert(topic.clone(), entity::from_item(item)?);
        }
    }
    notifications.retain(|_, notification| notification.changed.is_some());
    let visible = visible_in_inbox(table, user, profile, &notifications).await?;
    let states = topics.into_iter().map(|topic| {
        let state = match notifications.get(&topic).and_then(|one| Some((one, one.changed.as_ref()?.millis()))) {
            None => InInbox::Nothing,
            Some((notification, changed)) => {
                if shows(&visible, user, &topic, notification) {
                    InInbox::Shown(changed)
                } else {
                    InInbox::Hidden(changed)
                }
            }
        };
        (topic, state)
    });
    Ok(states.collect())
}

/// Returns what a user may see of the photos and the people of notifications, with the requests of
/// [`in_inbox`].
pub async fn visible_in_inbox<'a>(
    table: &Table,
    user: &'a Username,
    profile: &Item,
    notifications: &BTreeMap<Topic, Notification>,
) -> Result<Visible<'a>, Error> {
    let of_others =
        notifications.keys().filter(|topic| topic.photo.as_ref().is_some_and(|photo| photo.author != *user));
    let found = batch::get(table, Visible::keys(user, of_others), true).await?;
    let has_silenced = has_blocks(profile) || has_any(profile, MUTES);
    let people = notifications.values().flat_map(Notification::checked_people);
    let people = people.chain(notifications.values().flat_map(Notification::answered_authors)).collect();
    let mut visible = Visible::new(user).consistent();
    visible.add(table, found, has_silenced, people).await?;
    Ok(visible)
}

/// Returns whether the inbox of a user shows a notification.
#[must_use]
pub fn shows(visible: &Visible<'_>, user: &Username, topic: &Topic, notification: &Notification) -> bool {
    let is_own = topic.photo.as_ref().is_some_and(|photo| photo.author == *user);
    let has_somebody = notification.checked_people().iter().any(|person| !visible.silences(person));
    has_somebody && (is_own || visible.shows(topic))
}

/// Returns the newest people whom an inbox names in a notification, and the number of all whom it shows.
#[must_use]
pub fn people(visible: &Visible<'_>, notification: &Notification) -> (Vec<Username>, Number) {
    let shown = |people: Vec<Username>| people.into_iter().filter(|person| !visible.silences(person));
    // Of the others nobody knows whether there is a block.
    let named = shown(notification.checked_people()).take(MAX_NAMED).collect();
    let number = shown(notification.people()).count();
    (named, if notification.is_cut() { Number::MoreThan(number) } else { Number::Exactly(number) })
}
