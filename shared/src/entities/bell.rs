//! The bell of a user: up to when the user has seen the inbox, and which notifications are newer.
//!
//! It is what an app asks for again and again, so one item of less than 4 KB has the answer. It
//! names the notifications in place of counting them. So process-changes may note the same
//! notification twice, and a notification that somebody else hides or deletes leaves the count once.
//! see-notifications only moves the time: what is not newer does not count.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::notification::{LIFETIME_SECONDS, Number, Topic, expiry_of};
use crate::Error;
use crate::dynamodb::expiry;
use crate::values::{EpochMillis, Timestamp, Username};

/// The maximum number of notifications that a bell names. With the longest names, the bell has
/// less than 4 KB, which half a read unit reads.
pub const MAX_UNSEEN: usize = 40;

/// The time up to which a user has seen the inbox, and the notifications that are newer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bell {
    /// The time up to which the user has seen the inbox. Only see-notifications writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Timestamp>,
    /// The notifications that the inbox shows, by their [shortened](Topic::shortened) topics, with
    /// the times at which they changed, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unseen: BTreeMap<String, u64>,
    /// The notifications that the inbox hides, because of a block, a mute or an audience. They may
    /// show later.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hidden: BTreeMap<String, u64>,
    /// The time of the newest notification that was left out, because there were more than
    /// [`MAX_UNSEEN`], in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evicted: Option<u64>,
    /// The number of changes, on which the condition of the next change is. The attribute is absent
    /// before the first change, as in an item that see-notifications has made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub revision: u64,
    /// The time at which the last notification expires, and the bell with it, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with the field")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The state of a topic in the inbox of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InInbox {
    /// There is no notification, or one without events.
    Nothing,
    /// The inbox shows a notification that changed at this time.
    Shown(EpochMillis),
    /// The inbox hides a notification that changed at this time.
    Hidden(EpochMillis),
}

impl Bell {
    /// Returns the number of [current](Self::current) notifications that the inbox shows.
    #[must_use]
    pub fn count(&self) -> Number {
        let number = self.current(&self.unseen).len();
        if self.current_evicted().is_some() { Number::MoreThan(number) } else { Number::Exactly(number) }
    }

    /// Returns whether the bell has a notification that changed at this time, or counts it without its
    /// name.
    #[must_use]
    pub fn names(&self, user: &Username, topic: &Topic, changed: &Timestamp) -> bool {
        let changed = u64::from(changed.millis());
        let named = self.unseen.get(&topic.shortened(user)).copied();
        named.max(self.evicted).is_some_and(|known| known >= changed)
    }

    /// Returns the [current](Self::current) topics that the bell names, those that are hidden among them.
    #[must_use]
    pub fn topics(&self, user: &Username) -> Vec<Topic> {
        let all = [&self.unseen, &self.hidden].into_iter().flat_map(|named| self.current(named).into_keys());
        all.filter_map(|topic| Topic::parse_shortened(&topic, user)).collect()
    }

    /// Returns those of the named notifications that the user has not seen and that have not expired.
    #[must_use]
    pub fn current(&self, named: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let is_current = |name: &str, changed| self.is_new(changed) && !expiry::is_over(expiry_of(name));
        let current = named.iter().filter(|(name, changed)| is_current(name, **changed));
        current.map(|(name, changed)| (name.clone(), *changed)).collect()
    }

    /// Returns the time of the newest notification that was left out, unless the user has seen it or it has
    /// expired. Its day is not known, so it counts for up to a day longer.
    fn current_evicted(&self) -> Option<u64> {
        let has_expired = |evicted| expiry::is_over(evicted / 1000 + LIFETIME_SECONDS);
        self.evicted.filter(|evicted| self.is_new(*evicted) && !has_expired(*evicted))
    }

    /// Returns the bell after these topics were looked at, or `None` if it says this already. A bell
    /// that changes forgets what the user has seen and what has expired.
    #[must_use]
    pub fn after(&self, user: &Username, topics: &[(Topic, InInbox)]) -> Option<Self> {
        let mut next = self.clone();
        for (topic, state) in topics {
            let name = topic.shortened(user);
            let is_known = next.unseen.remove(&name).or(next.hidden.remove(&name)).is_some();
            let (InInbox::Shown(changed) | InInbox::Hidden(changed)) = *state else { continue };
            let changed = u64::from(changed);
            // Whether an evicted notification was looked at before is not known.
            let is_evicted = !is_known && self.evicted.is_some_and(|evicted| changed <= evicted);
            if self.is_new(changed) && !is_evicted {
                let named = if matches!(state, InInbox::Shown(_)) { &mut next.unseen } else { &mut next.hidden };
                named.insert(name, changed);
                next.ttl = self.ttl.max(next.ttl).max(Some(topic.expiry()));
            }
        }
        (next.unseen, next.hidden) = (self.current(&next.unseen), self.current(&next.hidden));
        if next.unseen == self.current(&self.unseen) && next.hidden == self.current(&self.hidden) {
            return None;
        }
        next.evicted = self.current_evicted();
        while next.unseen.len() + next.hidden.len() > MAX_UNSEEN {
            let all = next.unseen.iter().chain(&next.hidden);
            let Some((name, changed)) = all.min_by_key(|(_, changed)| **changed) else { break };
            let (name, changed) = (name.clone(), *changed);
            let _ = next.unseen.remove(&name).or(next.hidden.remove(&name));
            next.evicted = next.evicted.max(Some(changed));
        }
        next.revision += 1;
        Some(next)
    }

    /// Returns whether a notification that changed at this time is newer than what the user has
    /// seen.
    fn is_new(&self, changed: u64) -> bool {
        self.seen.as_ref().is_none_or(|seen| u64::from(seen.millis()) < changed)
    }

    /// Returns the value of an attribute with named notifications.
    pub fn attribute(named: &BTreeMap<String, u64>) -> Result<AttributeValue, Error> {
        Ok(serde_dynamo::to_attribute_value(named)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamodb::{Item, entity};
    use crate::entities::{Key, Position};
    use crate::values::NotificationKind;

    fn user() -> Username {
        "ada".parse().unwrap()
    }

    fn time(minute: usize) -> Timestamp {
        format!("2999-05-30T15:{minute:02}:00.000Z").parse().unwrap()
    }

    fn topic(owner: &str, minute: usize) -> Topic {
        let photo = Position { id: time(minute).into(), author: owner.parse().unwrap() };
        Topic::new(NotificationKind::Reaction, Some(photo), &"2999-05-30T15:42:38".parse().unwrap())
    }

    fn shown(minute: usize) -> InInbox {
        InInbox::Shown(time(minute).millis())
    }

    #[test]
    fn counts_each_notification_once() {
        let one = Bell::default().after(&user(), &[(topic("ada", 1), shown(1))]).unwrap();
        assert_eq!(one.count(), Number::Exactly(1));
        assert_eq!(one.after(&user(), &[(topic("ada", 1), shown(1))]), None);
        let two = one.after(&user(), &[(topic("ada", 1), shown(3)), (topic("ben", 2), shown(2))]).unwrap();
        assert_eq!((two.count(), two.revision), (Number::Exactly(2), 2));
        assert_eq!(two.topics(&user()).len(), 2);
        let hidden = two.after(&user(), &[(topic("ben", 2), InInbox::Hidden(time(2).millis()))]).unwrap();
        assert_eq!((hidden.count(), hidden.topics(&user()).len()), (Number::Exactly(1), 2));
        let gone = hidden.after(&user(), &[(topic("ada", 1), InInbox::Nothing)]).unwrap();
        assert_eq!((gone.count(), gone.topics(&user())), (Number::Exactly(0), vec![topic("ben", 2)]));
        let again = gone.after(&user(), &[(topic("ben", 2), shown(2))]).unwrap();
        assert_eq!(again.count(), Number::Exactly(1));
    }

    #[test]
    fn what_is_seen_does_not_count() {
        let topics = [(topic("ada", 1), shown(1)), (topic("ada", 2), shown(2))];
        let mut bell = Bell::default().after(&user(), &topics).unwrap();
        for (seen, number) in [(0, 2), (1, 1), (2, 0)] {
            bell.seen = Some(time(seen));
            assert_eq!(bell.count(), Number::Exactly(number), "{seen}");
        }
        assert_eq!(bell.after(&user(), &topics), None, "a late record of what was seen");
        let newer = bell.after(&user(), &[(topic("ada", 1), shown(3))]).unwrap();
        assert_eq!((newer.count(), newer.unseen.len()), (Number::Exactly(1), 1));
    }

    #[test]
    fn what_has_expired_does_not_count() {
        let (old, new): (Timestamp, _) = ("2024-05-30T15:42:38.000Z".parse().unwrap(), Timestamp::now());
        let [follower, request, other] = [(&old, "follower"), (&old, "request"), (&new, "follower")]
            .map(|(time, kind)| Topic::new(kind.parse().unwrap(), None, time));
        let [old, new] = [old, new].map(|time| u64::from(time.millis()));
        let bell = Bell {
            unseen: [(follower.shortened(&user()), old), (other.shortened(&user()), new)].into(),
            hidden: [(request.shortened(&user()), old)].into(),
            evicted: Some(old),
            ttl: Some(other.expiry()),
            ..Bell::default()
        };
        assert_eq!((bell.count(), bell.topics(&user())), (Number::Exactly(1), vec![other.clone()]));
        assert_eq!(bell.after(&user(), &[(follower.clone(), InInbox::Nothing)]), None, "nothing changes");
        assert_eq!(Bell::default().after(&user(), &[(follower, InInbox::Shown(old.into()))]), None);
        let none = bell.after(&user(), &[(other, InInbox::Nothing)]).unwrap();
        assert_eq!((none.count(), none.hidden.len(), none.evicted), (Number::Exactly(0), 0, None));
    }

    #[test]
    fn names_the_newest_notifications() {
        let mut bell = Bell::default();
        for minute in 0..MAX_UNSEEN + 5 {
            bell = bell.after(&user(), &[(topic("ada", minute), shown(minute))]).unwrap();
        }
        assert_eq!(bell.count(), Number::MoreThan(MAX_UNSEEN));
        assert_eq!(bell.after(&user(), &[(topic("ada", 4), shown(4))]), None, "it was left out");
        bell.seen = Some(time(10));
        assert_eq!(bell.count(), Number::Exactly(MAX_UNSEEN + 4 - 10));
        let next = bell.after(&user(), &[(topic("ada", 50), shown(50))]).unwrap();
        assert_eq!((next.count(), next.evicted), (Number::Exactly(MAX_UNSEEN + 5 - 10), None));
    }

    #[test]
    fn a_bell_is_read_by_half_a_unit() {
        let (reader, owner) = ("a".repeat(32), "b".repeat(32));
        let reader: Username = reader.parse().unwrap();
        let topics: Vec<_> = (0..MAX_UNSEEN).map(|minute| (topic(&owner, minute), shown(minute))).collect();
        let mut bell = Bell::default().after(&reader, &topics).unwrap();
        (bell.seen, bell.evicted) = (Some(time(0)), Some(time(0).millis().into()));
        let item: Item = entity::to_item(Key::seen(&reader), &bell).unwrap();
        assert!(crate::document::size(&item) < 4096, "{}", crate::document::size(&item));
    }
}
