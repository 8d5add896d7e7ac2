//! Finds what is new in the inbox of a user, for the functions that tell the user of it at once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::inbox::{shows, visible_in_inbox};
use super::visible::Visible;
use crate::dynamodb::{Item, batch, entity};
use crate::entities::{Bell, Event, Key, MAX_ALERT_AGE_SECONDS, Notification, Topic, notices};
use crate::values::{Timestamp, Username};
use crate::{Error, Table};

/// The age from which on an event is no news any more.
const MAX_AGE: Duration = Duration::from_secs(MAX_ALERT_AGE_SECONDS);
/// The maximum number of items that [`news`] reads beside the user, the receivers, the bell and the
/// notification.
pub const MAX_NEWS_ITEMS: usize = batch::MAX_GET_KEYS - 4;

/// The result of looking for [`News`].
#[derive(Debug)]
pub enum Found<'a> {
    /// Nothing.
    Nothing,
    /// The inbox does not have the events yet.
    NotYet,
    /// A notification that the inbox shows, and that the user has not seen.
    News(Box<News<'a>>),
}

/// A notification that the inbox shows, and that the user has not seen.
#[derive(Debug)]
pub struct News<'a> {
    /// The item of the user.
    pub profile: Item,
    /// The item of the receivers.
    pub receivers: Item,
    /// The items of the events that are still there.
    pub items: Vec<Item>,
    /// The newest of the events.
    pub newest: Event,
    /// The notification.
    pub notification: Notification,
    /// The time at which it changed.
    pub changed: Timestamp,
    /// The bell.
    pub bell: Bell,
    /// The photo and the people, as far as the user may see them.
    pub visible: Visible<'a>,
}

/// Returns whether there is anything to tell a user of these events, each with the key of its item, of
/// which there are [`MAX_NEWS_ITEMS`] at most. `receivers` is the key of the item that says where the
/// user is told.
///
/// One consistent `BatchGetItem` reads the user, the items of the events, the receivers, the bell and
/// the notification. Those of [`visible_in_inbox`] follow, where the inbox needs them.
pub async fn news<'a>(
    (table, feed): (&Table, &Table),
    user: &'a Username,
    topic: &Topic,
    events: &BTreeMap<Event, Key>,
    receivers: Key,
) -> Result<Found<'a>, Error> {
    let keys = events.values().cloned().chain([Key::user(user)]).collect();
    let [bell_key, key] = [Key::seen(user), Key::notification(user, topic)];
    let of_feed = [&receivers, &bell_key, &key].map(Key::clone).into();
    let [mut items, mut inbox] = batch::get_from_tables([(table, keys), (feed, of_feed)], true).await?;

    let profile = batch::take(&mut items, Key::user(user)).filter(|profile| profile.contains_key("username"));
    let (Some(profile), Some(receivers)) = (profile, batch::take(&mut inbox, receivers)) else {
        return Ok(Found::Nothing);
    };
    let present = present(&items, user, topic, events)?;
    let Some(newest) = present.last().cloned() else { return Ok(Found::Nothing) };
    let stored: Option<Notification> = batch::take(&mut inbox, key).map(entity::from_item).transpose()?;
    let Some(notification) = stored else { return Ok(Found::NotYet) };
    let is_in_inbox =
        |event: &Event| notification.events.contains(event) || notification.evicted.as_ref() >= Some(event);
    if !present.iter().all(is_in_inbox) {
        return Ok(Found::NotYet);
    }
    let Some(changed) = notification.changed.clone() else { return Ok(Found::Nothing) };
    let bell: Bell = batch::take(&mut inbox, bell_key).map(entity::from_item).transpose()?.unwrap_or_default();
    if bell.seen.as_ref().is_some_and(|seen| *seen >= changed) {
        return Ok(Found::Nothing);
    }
    let shown = BTreeMap::from([(topic.clone(), notification.clone())]);
    let visible = visible_in_inbox(table, user, &profile, &shown).await?;
    if !shows(&visible, user, topic, &notification) {
        return Ok(Found::Nothing);
    }
    Ok(Found::News(Box::new(News { profile, receivers, items, newest, notification, changed, bell, visible })))
}

/// Returns the events whose items are there, unless they are too old.
fn present(
    items: &[Item],
    user: &Username,
    topic: &Topic,
    events: &BTreeMap<Event, Key>,
) -> Result<BTreeSet<Event>, Error> {
    let oldest = Timestamp::now().seconds().saturating_sub(MAX_AGE.as_secs());
    let mut present = BTreeSet::new();
    for item in items {
        let of_topic = notices(item)?.into_iter().filter(|notice| notice.user == *user && notice.topic == *topic);
        let of_topic = of_topic.map(|notice| notice.event).filter(|event| events.contains_key(event));
        present.extend(of_topic.filter(|event| event.time().is_some_and(|time| time.seconds() >= oldest)));
    }
    Ok(present)
}
