//! The inbox of a user: what others did that concerns the user.
//!
//! Events of one kind that are about one photo and of one day are one [`Notification`]. It keeps
//! the newest [`MAX_EVENTS`] of them, so that a photo to which thousands react costs a write for a
//! batch of the stream and not one for each reaction. An event is the time of what was done and the
//! person who did it, which its item has too. So an event that comes again is the same event. The
//! time of an event of a comment is that of the comment, also after an edit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue::N;
use serde::{Deserialize, Serialize, Serializer};

use super::key::Key;
use super::position::Position;
use crate::Error;
use crate::dynamodb::expiry::{self, TTL};
use crate::dynamodb::{Item, entity};
use crate::values::{CommentId, NotificationKind, Timestamp, Username};

/// The prefix of the partition keys of inboxes. The user follows.
pub const INBOX_PREFIX: &str = "Inbox#";
/// The global secondary index of the notifications: [`FEED_PK`](super::FEED_PK) is its partition
/// key, and `changed` its sort key. Other items are not in it, because they have no `changed`.
pub const INBOX_BY_TIME: &str = "InboxByTime";
/// The sort key of the [`Bell`](super::Bell) of a user.
pub const SEEN: &str = "SEEN";
/// The maximum number of events of a notification, and of the numbers that an answer counts.
pub const MAX_EVENTS: usize = 50;
/// The number of days after which a notification expires.
pub const INBOX_LIFETIME_DAYS: u64 = 90;
/// The time from the beginning of the day of a notification until it expires, in seconds.
pub(super) const LIFETIME_SECONDS: u64 = (INBOX_LIFETIME_DAYS + 1) * 24 * 60 * 60;
/// The number of people whom an answer names for a notification.
pub const MAX_NAMED: usize = 3;
/// The number of people of a notification of whom a block is looked for, so that enough are left to
/// be named. Nobody else is named, and a notification shows if one of them does.
pub const MAX_CHECKED: usize = 5;

impl Key {
    /// Returns the key of a [`Notification`](super::Notification) in the inbox of a user.
    #[must_use]
    pub fn notification(user: &Username, topic: &Topic) -> Self {
        Self::of_feed(inbox_pk(user), topic.to_string())
    }

    /// Returns the key of the [`Bell`](super::Bell), which has the time up to which a user has seen
    /// the inbox.
    #[must_use]
    pub fn seen(user: &Username) -> Self {
        Self::of_feed(inbox_pk(user), SEEN.to_owned())
    }
}

/// Returns the partition key of the inbox of a user.
#[must_use]
pub fn inbox_pk(user: &Username) -> String {
    format!("{INBOX_PREFIX}{user}")
}

/// The subject of a notification: the day and the kind of its events, and the photo that they are
/// about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Topic {
    /// The day in UTC, such as `2024-05-30`.
    day: String,
    /// The kind of the events.
    pub kind: NotificationKind,
    /// The photo, if they are about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<Position>,
}

impl Topic {
    /// Returns the topic of an event at `time`.
    #[must_use]
    pub fn new(kind: NotificationKind, photo: Option<Position>, time: &Timestamp) -> Self {
        Self { day: time.as_ref().chars().take(10).collect(), kind, photo }
    }

    /// Returns the day in UTC, such as `2024-05-30`.
    #[must_use]
    pub fn day(&self) -> &str {
        &self.day
    }

    /// Reads the topic from the sort key of a notification.
    #[must_use]
    pub fn parse(sort_key: &str) -> Option<Self> {
        let mut parts = sort_key.splitn(4, '#');
        let (day, kind) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let photo = match (parts.next(), parts.next()) {
            (None, None) => None,
            (Some(author), Some(id)) => Some(Position { author: author.parse().ok()?, id: id.parse().ok()? }),
            _ => return None,
        };
        Some(Self { day, kind, photo })
    }

    /// Returns the sort key without the name of the user who has the inbox, which would be most of
    /// the bytes of a [`Bell`](super::Bell).
    #[must_use]
    pub fn shortened(&self, user: &Username) -> String {
        match &self.photo {
            Some(Position { author, id }) if author == user => {
                format!("{}#{}##{id}", self.day, self.kind)
            }
            _ => self.to_string(),
        }
    }

    /// Reads the topic from [what is left of its sort key](Self::shortened) in the inbox of a user.
    #[must_use]
    pub fn parse_shortened(text: &str, user: &Username) -> Option<Self> {
        match text.split_once("##") {
            Some((topic, photo)) => Self::parse(&format!("{topic}#{user}#{photo}")),
            None => Self::parse(text),
        }
    }

    /// Returns the time at which the notification expires, in seconds since 1970.
    #[must_use]
    pub fn expiry(&self) -> u64 {
        expiry_of(&self.day)
    }

    /// Returns whether the notification has expired.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        expiry::is_over(self.expiry())
    }
}

/// Returns the time at which a notification of a day expires, in seconds since 1970. The rest of the sort key may
/// follow the day.
pub(super) fn expiry_of(day: &str) -> u64 {
    let day: String = day.chars().take(10).collect();
    let begin = format!("{day}T00:00:00").parse().map_or(0, |begin: Timestamp| begin.seconds());
    begin + LIFETIME_SECONDS
}

/// Writes the sort key of the notification.
impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.day, self.kind)?;
        match &self.photo {
            Some(Position { author, id }) => write!(f, "#{author}#{id}"),
            None => Ok(()),
        }
    }
}

/// Something that a person did. Events are in the order of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Event(String);

impl From<String> for Event {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Event> for String {
    fn from(event: Event) -> Self {
        event.0
    }
}

impl Event {
    /// Returns the event of a person at a time. `detail` tells it from others of the person at the
    /// same time: the type of a reaction, or the comment that a reply answers, or that a like or a pin is about.
    #[must_use]
    pub fn new(time: &Timestamp, person: &Username, detail: &str) -> Self {
        Self(format!("{time}#{person}#{detail}"))
    }

    /// Returns the event of a comment.
    #[must_use]
    pub fn of_comment(id: &CommentId) -> Self {
        let answered = id.reply_to.as_ref().map(ToString::to_string).unwrap_or_default();
        Self::new(&id.timestamp, &id.author, &answered)
    }

    /// Returns the comment of which this is the event, unless another program wrote it.
    #[must_use]
    pub fn comment(&self) -> Option<CommentId> {
        let (time, author) = (self.time()?, self.person()?);
        match self.0.split('#').nth(2)? {
            "" => Some(CommentId::new(time, author)),
            answered => Some(answered.parse::<CommentId>().ok()?.reply(time, author)),
        }
    }

    /// Returns the comment that a like or a pin is about, if this is the event of one.
    #[must_use]
    pub fn about(&self) -> Option<CommentId> {
        self.0.split('#').nth(2)?.parse().ok()
    }

    /// Returns the time, unless another program wrote the event.
    #[must_use]
    pub fn time(&self) -> Option<Timestamp> {
        self.0.split('#').next()?.parse().ok()
    }

    /// Returns the person, unless another program wrote the event.
    #[must_use]
    pub fn person(&self) -> Option<Username> {
        self.0.split('#').nth(1)?.parse().ok()
    }
}

/// The events of one topic in the inbox of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notification {
    /// The newest events. The attribute is absent if there is none, because DynamoDB has no empty
    /// set.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    pub events: BTreeSet<Event>,
    /// The newest time at which an event counted as new. A notification without events has none, so
    /// that it is not in the index by time. Its item stays, so that no late attempt to put it
    /// succeeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Timestamp>,
    /// The newest event that was left out because there were too many. Older ones are left out too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evicted: Option<Event>,
    /// The number of changes, on which the condition of the next change is.
    #[serde(default)]
    pub revision: u64,
    /// The last push to the devices of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed: Option<Pushed>,
}

/// The last push of a notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pushed {
    /// The id of the invocation that sends it.
    pub claim: String,
    /// The `changed` of the notification that is sent.
    pub changed: Timestamp,
    /// The time at which the first attempt began.
    pub time: Timestamp,
    /// The time up to which the invocation may be at it, in seconds since 1970. It is 0 afterwards.
    pub until: u64,
    /// The number of attempts that have begun and not ended.
    pub attempts: u32,
    /// The ids of the devices that need no further attempt.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    pub sent: BTreeSet<String>,
    /// Whether no device needs a further attempt.
    #[serde(default)]
    pub is_done: bool,
}

impl Notification {
    /// Returns the notification with the events that are `present` and without those that are
    /// `gone`, or `None` if that is what it is already. Each present event has the time at which it
    /// counts as new, unless the notification has it already.
    #[must_use]
    pub fn merge(&self, present: BTreeMap<Event, Timestamp>, gone: &BTreeSet<Event>) -> Option<Self> {
        let mut events: BTreeSet<Event> = self.events.difference(gone).cloned().collect();
        let is_new = |event: &Event| !events.contains(event) && self.evicted.as_ref().is_none_or(|last| last < event);
        let new: BTreeMap<Event, Timestamp> = present.into_iter().filter(|(event, _)| is_new(event)).collect();
        if new.is_empty() && events == self.events {
            return None;
        }
        let changed = self.changed.clone().max(new.values().max().cloned());
        events.extend(new.into_keys());
        let mut evicted = self.evicted.clone();
        while events.len() > MAX_EVENTS {
            evicted = evicted.max(events.pop_first());
        }
        Some(Self {
            changed: changed.filter(|_| !events.is_empty()),
            events,
            evicted,
            revision: self.revision + 1,
            pushed: self.pushed.clone(),
        })
    }

    /// Returns the item at a key, which expires at `expiry`, in seconds since 1970.
    pub fn item(&self, key: impl Into<Item>, expiry: u64) -> Result<Item, Error> {
        let mut item = entity::to_item(key, self)?;
        item.insert(TTL.to_owned(), N(expiry.to_string()));
        Ok(item)
    }

    /// Returns the people, those of the newest events first.
    #[must_use]
    pub fn people(&self) -> Vec<Username> {
        let mut people = vec![];
        for person in self.events.iter().rev().filter_map(Event::person) {
            if !people.contains(&person) {
                people.push(person);
            }
        }
        people
    }

    /// Returns the people of whom a block is looked for.
    #[must_use]
    pub fn checked_people(&self) -> Vec<Username> {
        let mut people = self.people();
        people.truncate(MAX_CHECKED);
        people
    }

    /// Returns the authors of the comments that the newest replies of these people answer.
    #[must_use]
    pub fn answered_authors(&self) -> Vec<Username> {
        let newest = |person: &Username| self.events.iter().rev().find(|event| event.person().as_ref() == Some(person));
        let people = self.checked_people();
        let replies = people.iter().filter_map(|person| newest(person)?.comment()?.reply_to);
        replies.map(|answered| answered.author).collect()
    }

    /// Returns whether it has had more events than it keeps.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.evicted.is_some()
    }
}

/// A number that is counted up to a limit. Its JSON is a number, or a string like `"50+"` if there
/// are more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// The number.
    Exactly(usize),
    /// There are more than this number.
    MoreThan(usize),
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Exactly(number) => number.serialize(serializer),
            Self::MoreThan(number) => serializer.collect_str(&format_args!("{number}+")),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Number {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number, or a string like `50+` if there are more.",
            "oneOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+\\+$"}],
            "examples": [3],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(second: usize, person: &str) -> Event {
        let time = format!("2024-05-30T15:{:02}:{:02}.000Z", second / 60, second % 60);
        Event::new(&time.parse().unwrap(), &person.parse().unwrap(), "heart")
    }

    fn time(second: usize) -> Timestamp {
        format!("2024-05-30T16:00:{second:02}.000Z").parse().unwrap()
    }

    fn set(events: &[Event]) -> BTreeSet<Event> {
        events.iter().cloned().collect()
    }

    fn add(notification: &Notification, events: &[Event], now: usize) -> Option<Notification> {
        notification.merge(at(events, now), &set(&[]))
    }

    fn at(events: &[Event], second: usize) -> BTreeMap<Event, Timestamp> {
        events.iter().map(|event| (event.clone(), time(second))).collect()
    }

    #[test]
    fn events_that_come_again_change_nothing_in_any_order() {
        let [first, second, third] = [event(1, "ada"), event(2, "ben"), event(3, "ada")];
        let one = add(&Notification::default(), &[third.clone(), first.clone()], 1).unwrap();
        let both = add(&one, std::slice::from_ref(&second), 2).unwrap();
        assert_eq!((both.changed.clone(), both.revision), (Some(time(2)), 2));
        assert_eq!(both.people(), ["ada", "ben"].map(|name| name.parse().unwrap()));
        assert_eq!(add(&both, &[first.clone(), second.clone(), third.clone()], 3), None);
        let other = add(&Notification::default(), &[first, second, third], 9).unwrap();
        assert_eq!(other.events, both.events);
    }

    #[test]
    fn what_is_gone_does_not_come_back_to_the_top() {
        let [first, second] = [event(1, "ada"), event(2, "ben")];
        let both = add(&Notification::default(), &[first.clone(), second.clone()], 1).unwrap();
        let one = both.merge(at(&[], 2), &set(std::slice::from_ref(&second))).unwrap();
        assert_eq!((one.people().len(), one.changed.clone()), (1, Some(time(1))));
        assert_eq!(one.merge(at(&[], 3), &set(std::slice::from_ref(&second))), None);
        let none = one.merge(at(&[], 4), &set(&[first])).unwrap();
        assert_eq!((none.events.len(), none.changed.clone(), none.revision), (0, None, 3));
        assert_eq!(add(&none, &[second], 5).unwrap().changed, Some(time(5)));
    }

    #[test]
    fn the_newest_events_stay_and_older_ones_do_not_come_back() {
        let events: Vec<Event> = (0..60).map(|second| event(second, &format!("user-{second}"))).collect();
        let all = add(&Notification::default(), &events, 1).unwrap();
        assert_eq!(all.events, set(&events[10..]));
        assert!(all.is_cut());
        assert_eq!(add(&all, &events, 2), None);
        let without = all.merge(at(&[], 3), &set(&events[10..30])).unwrap();
        assert_eq!(add(&without, &events[..10], 4), None, "it is not known which of them are there");
        let mut expected = Notification::default();
        for event in events.iter().rev() {
            expected = add(&expected, std::slice::from_ref(event), 1).unwrap_or(expected);
        }
        assert_eq!(expected.events, all.events, "one by one, in another order");
    }

    #[test]
    fn a_topic_is_its_sort_key() {
        let photo = Position { id: time(0).into(), author: "ada".parse().unwrap() };
        for topic in [
            Topic::new(NotificationKind::Reaction, Some(photo), &time(1)),
            Topic::new(NotificationKind::Follower, None, &"2024-05-30T23:59:59".parse().unwrap()),
        ] {
            assert!(topic.to_string().starts_with("2024-05-30#"), "{topic}");
            assert_eq!(topic.expiry(), 1_717_027_200 + 91 * 86_400);
            for user in ["ada", "reaction", "ben"].map(|name| name.parse().unwrap()) {
                assert_eq!(Topic::parse_shortened(&topic.shortened(&user), &user).as_ref(), Some(&topic));
            }
            assert_eq!(Topic::parse(&topic.to_string()), Some(topic));
        }
        for other in ["SEEN", "2024-05-30#follower#ada", "2024-05-30#other", "2024-05-30#reaction#ada#x"] {
            assert_eq!(Topic::parse(other), None, "{other}");
        }
    }

    #[test]
    fn a_number_above_the_limit_is_a_text() {
        let json = |number| serde_json::to_string(&number).unwrap();
        assert_eq!([json(Number::Exactly(3)), json(Number::MoreThan(50))], ["3", "\"50+\""]);
    }
}
