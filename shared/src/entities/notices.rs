//! The events that an item of `quick-photos` is in the inboxes of users.

use std::collections::{BTreeMap, BTreeSet};

use super::alert::Alert;
use super::comment::{comment_from_item, mentions};
use super::follow_request::FollowRequest;
use super::friendship::{ACCEPTED, Friendship};
use super::kind::Kind;
use super::like::{Like, comment_of_like};
use super::notification::{Event, Topic};
use super::position::Position;
use super::reaction::{Reaction, photo_of_item, photo_of_sk};
use crate::Error;
use crate::dynamodb::{Item, entity};
use crate::values::{NotificationKind, Timestamp, Username};

/// The maximum number of users whom one comment notifies.
pub const MAX_MENTIONS: usize = 10;

/// An event for the inbox of a user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// The user who has the inbox.
    pub user: Username,
    /// The topic, which tells the notification.
    pub topic: Topic,
    /// The event.
    pub event: Event,
}

/// Returns the notices of an item of `quick-photos`, in which nobody is told of what they did
/// themselves.
pub fn notices(item: &Item) -> Result<BTreeSet<Notice>, Error> {
    let mut notices = BTreeSet::new();
    let mut add_event = |user: Username, person: &Username, topic: Topic, event: Event| {
        if user != *person {
            notices.insert(Notice { user, topic, event });
        }
    };
    let mut add = |user: Username, person: &Username, kind, photo, time: &Timestamp, detail: &str| {
        add_event(user, person, Topic::new(kind, photo, time), Event::new(time, person, detail));
    };
    match Kind::of(item) {
        Some(Kind::Friendship) => {
            let Friendship { followed_user, following_user, timestamp } = entity::from_item(item.clone())?;
            if item.contains_key(ACCEPTED) {
                add(following_user, &followed_user, NotificationKind::Accepted, None, &timestamp, "");
            } else {
                add(followed_user, &following_user, NotificationKind::Follower, None, &timestamp, "");
            }
        }
        Some(Kind::FollowRequest) => {
            let FollowRequest { asked_user, asking_user, timestamp } = entity::from_item(item.clone())?;
            add(asked_user, &asking_user, NotificationKind::Request, None, &timestamp, "");
        }
        Some(Kind::Alert) => {
            let alert: Alert = entity::from_item(item.clone())?;
            let position = alert.position();
            let time = position.id.time();
            add(alert.follower, &alert.owner, NotificationKind::Photo, Some(position), &time, "");
        }
        Some(Kind::Reaction) => {
            let Reaction { reacting_user, reaction_type, photo, timestamp } = entity::from_item(item.clone())?;
            // Another program may have reacted to something that is no photo.
            let Ok((owner, photo)) = photo_of_sk(&photo) else { return Ok(notices) };
            let position = Position { id: photo, author: owner.clone() };
            add(owner, &reacting_user, NotificationKind::Reaction, Some(position), &timestamp, reaction_type.as_ref());
        }
        Some(Kind::Like) => {
            let (comment, author, id) = comment_of_like(item)?;
            let Like { liking_user, timestamp } = entity::from_item(item.clone())?;
            let photo = Some(Position { id, author });
            let detail = comment.to_string();
            add(comment.author, &liking_user, NotificationKind::Like, photo, &timestamp, &detail);
        }
        Some(Kind::Comment) => {
            let (owner, photo) = photo_of_item(item)?;
            let comment = comment_from_item(item.clone())?.filter(|comment| comment.removed.is_none());
            let Some(comment) = comment else { return Ok(notices) };
            let photo = Position { id: photo, author: owner.clone() };
            if let Some(pinned) = &comment.pinned {
                let (user, detail) = (comment.author.clone(), comment.id().to_string());
                add(user, &owner, NotificationKind::Pin, Some(photo.clone()), pinned, &detail);
            }
            // Who is told in one of these ways is not told in another one.
            let answered = comment.reply_to.as_ref().map(|answered| answered.author.clone());
            let mut told: BTreeMap<Username, NotificationKind> = BTreeMap::new();
            let mentioned = mentions(&comment.text).into_iter().filter(|name| *name != owner).take(MAX_MENTIONS);
            told.extend(mentioned.map(|user| (user, NotificationKind::Mention)));
            told.insert(owner, NotificationKind::Comment);
            told.extend(answered.map(|user| (user, NotificationKind::Reply)));
            for (user, kind) in told {
                let topic = Topic::new(kind, Some(photo.clone()), &comment.timestamp);
                add_event(user, &comment.author, topic, Event::of_comment(&comment.id()));
            }
        }
        _ => {}
    }
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entities::{Key, SK};

    #[test]
    fn a_reaction_of_another_program_to_something_that_is_no_photo_tells_nobody() {
        let key = Key::reaction(
            &"ada".parse().unwrap(),
            "heart".parse().unwrap(),
            &"ben".parse().unwrap(),
            &"2024-06-26T03:59:33".parse().unwrap(),
        );
        for (photo, told) in [("PHOTO#ben#2024-06-26T03:59:33", 1), ("SONG#1", 0)] {
            let reaction = Reaction {
                reacting_user: "ada".parse().unwrap(),
                reaction_type: "heart".parse().unwrap(),
                photo: photo.to_owned(),
                timestamp: "2026-01-01T00:00:00.000Z".parse().unwrap(),
            };
            let mut item = entity::to_item(key.clone(), &reaction).unwrap();
            item.insert(SK.to_owned(), aws_sdk_dynamodb::types::AttributeValue::S(photo.to_owned()));
            assert_eq!(notices(&item).unwrap().len(), told, "{photo}");
        }
    }
}
