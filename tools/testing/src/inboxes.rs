//! The judge of the inboxes: once all follow-up work is done, they have the events of what is
//! there, and no others, and the bells name what is new in them, and what of it is hidden.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use shared::Error;
use shared::dynamodb::{Item, entity};
use shared::entities::{
    Bell, Block, Friendship, INBOX_PREFIX, Kind, Notification, Photo, Position, Topic, notices, photo_from_item,
    username_from_item,
};
use shared::values::{Audience, Level, NotificationKind, Username};

/// Returns what is wrong with the inboxes among the items of all tables. Events before `since`,
/// such as `2026`, may be there or not.
pub fn wrong(items: impl Iterator<Item = Item>, since: &str) -> Result<Vec<String>> {
    let (mut expected, mut found, mut users) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut inboxes: BTreeMap<String, Inbox> = BTreeMap::new();
    let mut relations = Relations::default();
    for item in items {
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
        let user = text("pk").trim_start_matches(INBOX_PREFIX).to_owned();
        if Kind::Seen.is_of(&item) {
            inboxes.entry(user).or_default().bell = entity::from_item(item).map_err(malformed)?;
            continue;
        }
        if Kind::Notification.is_of(&item) {
            let events = item.get("events").and_then(|events| events.as_ss().ok()).into_iter().flatten();
            let events = events.filter(|event| event.as_str() >= since);
            found.extend(events.map(|event| (user.clone(), format!("{} {event}", text("sk")))));
            let topic = Topic::parse(text("sk"));
            let notification = entity::from_item(item).map_err(malformed)?;
            inboxes.entry(user).or_default().notifications.extend(topic.map(|topic| (topic, notification)));
            continue;
        }
        users.extend(username_from_item(&item).map_err(malformed)?.map(|username| username.to_string()));
        for notice in notices(&item).map_err(malformed)? {
            let event = String::from(notice.event);
            if event.as_str() >= since {
                expected.insert((notice.user.to_string(), format!("{} {event}", notice.topic)));
            }
        }
        relations.add(item).map_err(malformed)?;
    }
    expected.retain(|(user, _)| users.contains(user));
    found.retain(|(user, _)| users.contains(user));
    let missing = expected.difference(&found).map(|(user, event)| format!("the inbox of {user} lacks {event}"));
    let needless = found.difference(&expected).map(|(user, event)| format!("the inbox of {user} still has {event}"));
    let bells = inboxes.into_iter().filter_map(|(user, inbox)| {
        if !users.contains(&user) {
            return inbox.bell.revision.ne(&0).then(|| format!("the bell of {user} is left"));
        }
        inbox.fault(&user.parse().ok()?, &relations)
    });
    Ok(missing.chain(needless).chain(bells).collect())
}

/// An inbox with its bell.
#[derive(Default)]
struct Inbox {
    bell: Bell,
    notifications: BTreeMap<Topic, Notification>,
}

impl Inbox {
    /// Returns what is wrong with the bell.
    fn fault(self, user: &Username, relations: &Relations) -> Option<String> {
        let seen = self.bell.seen.as_ref().map(|seen| u64::from(seen.millis()));
        let (mut unseen, mut hidden) = (BTreeMap::new(), BTreeMap::new());
        for (topic, notification) in self.notifications {
            let Some(changed) = notification.changed.as_ref().map(|changed| u64::from(changed.millis())) else {
                continue;
            };
            if seen.is_none_or(|seen| seen < changed) {
                let is_shown = relations.shows(user, &topic, &notification.checked_people());
                (if is_shown { &mut unseen } else { &mut hidden }).insert(topic.shortened(user), changed);
            }
        }
        let is_new = |changed| seen.is_none_or(|seen| seen < changed);
        let mut bell = self.bell;
        bell.unseen.retain(|_, changed| is_new(*changed));
        bell.hidden.retain(|_, changed| is_new(*changed));
        let is_right = bell.evicted.is_some_and(is_new) || (&bell.unseen, &bell.hidden) == (&unseen, &hidden);
        (!is_right).then(|| {
            let names = |named: BTreeMap<String, _>| named.into_keys().collect::<Vec<_>>().join(", ");
            let [is_unseen, is_hidden] = [bell.unseen, bell.hidden].map(names);
            let [unseen, hidden] = [unseen, hidden].map(names);
            format!(
                "the bell of {user} has {is_unseen} and hides {is_hidden}, but should have {unseen} and hide {hidden}"
            )
        })
    }
}

/// The facts that decide whether a notification shows.
#[derive(Default)]
struct Relations {
    blocks: BTreeSet<(Username, Username, bool)>,
    /// Who is followed, and by whom.
    friendships: BTreeSet<(Username, Username)>,
    photos: BTreeMap<Position, Photo>,
}

impl Relations {
    fn add(&mut self, item: Item) -> Result<(), Error> {
        match Kind::of(&item) {
            Some(Kind::Block) => {
                let Block { blocking_user, blocked_user, level, .. } = entity::from_item(item)?;
                self.blocks.insert((blocking_user, blocked_user, level == Level::Block));
            }
            Some(Kind::Friendship) => {
                let Friendship { followed_user, following_user, .. } = entity::from_item(item)?;
                self.friendships.insert((followed_user, following_user));
            }
            Some(Kind::Photo) => {
                if let Some(photo) = photo_from_item(item)? {
                    let position = Position { id: photo.id.clone(), author: photo.username.clone() };
                    self.photos.insert(position, photo);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn shows(&self, user: &Username, topic: &Topic, people: &[Username]) -> bool {
        let has = |one: &Username, other: &Username, level| self.blocks.contains(&(one.clone(), other.clone(), level));
        let sees = |position: &Position| {
            position.author == *user
                || self.photos.get(position).is_some_and(|photo| {
                    let follows = || self.friendships.contains(&(position.author.clone(), user.clone()));
                    let is_for_user = match photo.audience {
                        Audience::Everyone => true,
                        Audience::Followers => follows(),
                        Audience::Me => false,
                    };
                    is_for_user && photo.is_ready() && !has(&position.author, user, true)
                })
        };
        let silences =
            |person: &Username| has(user, person, true) || has(user, person, false) || has(person, user, true);
        let is_told = |position: &Position| {
            topic.kind != NotificationKind::Photo || self.friendships.contains(&(position.author.clone(), user.clone()))
        };
        topic.photo.as_ref().is_none_or(|photo| sees(photo) && is_told(photo))
            && people.iter().any(|person| !silences(person))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err gives it")]
fn malformed(error: Error) -> anyhow::Error {
    anyhow!("an item is malformed: {}", error.causes())
}
