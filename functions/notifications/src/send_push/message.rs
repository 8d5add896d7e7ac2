//! The message about a notification.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use shared::entities::{Bell, Number, Position, Topic, User};
use shared::values::{Locale, LockScreen, NotificationKind, PhotoId, PhotoReference, Username};

use super::texts;
use crate::beginning::beginning;

/// The length of a collapse key in characters: the maximum of the [header
/// `Topic`](https://www.rfc-editor.org/rfc/rfc8030#section-5.4).
const COLLAPSE_KEY_CHARS: usize = 32;

/// The message about a notification, without texts.
pub(super) struct Message {
    user: Username,
    lock_screen: LockScreen,
    kind: NotificationKind,
    photo: Option<Position>,
    people: Vec<Username>,
    number: Number,
    /// The comment, or the caption of a new photo.
    text: Option<String>,
    badge: usize,
}

/// The message as an app gets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Text {
    /// The user whom the message is for, so that an app does not show it to another one who has signed
    /// in since.
    pub(super) user: Username,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
    /// The number of notifications that the user has not seen.
    pub(super) badge: usize,
    /// The name of what the message is about. A later message with the same one replaces it.
    pub(super) tag: String,
    /// The event. It is left out if the lock screen may not show it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<What>,
}

/// The event of a message, with which an app opens the right screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct What {
    pub(super) kind: NotificationKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<PhotoReference>,
    usernames: Vec<Username>,
    number: Number,
    /// The path of the API to what the message is about.
    pub(super) path: String,
}

impl Message {
    /// Returns the message about a notification by these people, the newest first, and by `number` in total.
    pub(super) fn new(
        user: &Username,
        settings: &User,
        topic: &Topic,
        people: Vec<Username>,
        number: Number,
        text: Option<String>,
        bell: &Bell,
    ) -> Self {
        let (Number::Exactly(badge) | Number::MoreThan(badge)) = bell.count();
        Self {
            user: user.clone(),
            lock_screen: settings.lock_screen,
            kind: topic.kind,
            photo: topic.photo.clone(),
            people,
            number,
            text,
            badge,
        }
    }

    /// Returns the message in a language.
    pub(super) fn in_language(&self, locale: Option<&Locale>) -> Text {
        let Self { user, kind, photo, people, number, .. } = self;
        let texts = texts::of(locale);
        if self.lock_screen == LockScreen::Nothing {
            let title = texts.map(|texts| texts.nothing().to_owned()).unwrap_or_default();
            return Text {
                user: user.clone(),
                title,
                body: None,
                badge: self.badge,
                tag: "notification".to_owned(),
                event: None,
            };
        }
        let person = people.first().map_or("", |person| person.as_ref());
        let title = texts.map(|texts| texts.title(*kind, person, *number)).unwrap_or_default();
        let shows_text = self.lock_screen == LockScreen::Everything;
        let body = self.text.clone().filter(|_| shows_text).map(beginning);
        let (tag, path) = match photo {
            Some(Position { author, id }) => (format!("{kind}#{author}#{id}"), format!("/users/{author}/photos/{id}")),
            None if *kind == NotificationKind::Request => (kind.to_string(), format!("/users/{user}/requests")),
            None => (kind.to_string(), format!("/users/{person}")),
        };
        let photo: Option<(Username, PhotoId)> = photo.clone().map(|Position { author, id }| (author, id));
        let event = What {
            kind: *kind,
            photo: photo.map(|(username, id)| PhotoReference { username, id }),
            usernames: people.clone(),
            number: *number,
            path,
        };
        Text { user: user.clone(), title, body, badge: self.badge, tag, event: Some(event) }
    }
}

impl Text {
    /// Returns the key by which a service replaces a message that a device has not got yet.
    pub(super) fn collapse_key(&self) -> String {
        let mut key = BASE64.encode(Sha256::digest(&self.tag));
        key.truncate(COLLAPSE_KEY_CHARS);
        key
    }
}
