//! One `Query` of the index `InboxByTime` of `<stage>.Feed` reads them. One `BatchGetItem` reads
//! the photos that they are about, the friendships with the owners of new photos, and up to when the
//! caller has seen the inbox. With
//! `include=people` or `include=comments`, another one reads the people, or the last comment of each
//! notification. `include=photos` reads nothing more.
//!
//! A page shows nothing that has expired, no photo that is gone or that the caller may not see, and
//! nobody whom the caller blocks or mutes, or who blocks the caller. A `GetItem` at the same time as
//! the `Query` reads whether there can be such people. Only if so, `BatchGetItem` reads the blocks. If
//! a page is not full then, older notifications are read, up to [`MAX_ROUNDS`] times in total.
//!
//! The number of what the caller has not seen is in `GET /users/me?include=counts`.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::{Visible, people};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    FEED_SK, INBOX_BY_TIME, Key, MAX_NAMED, MUTES, Notification, Number, Position, Topic, comment_from_item, has_any,
    has_blocks, inbox_pk,
};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{MAX_LIMIT, Page, PageParameters};
use shared::show::{People, Signer, Thumbnail};
use shared::values::{CommentId, NotificationKind, NotificationParts, PhotoId, Time, Timestamp, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::beginning::beginning;

#[cfg(test)]
mod tests;

/// The maximum number of times that notifications are read for one page.
const MAX_ROUNDS: usize = 5;
/// The number of notifications that are read at once for a page that is not full.
const MAX_LATER_READ: usize = 50;

/// A page of the caller's inbox.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inbox {
    /// The notifications, newest first.
    notifications: Vec<ShownNotification>,
    /// The cards of the people by username, without those who have been deleted. Empty without
    /// `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// A notification as the answer shows it: events of one kind on one day, about one photo or none.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownNotification {
    kind: NotificationKind,
    /// The photo that people reacted to, commented on or shared, or on which they mentioned the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<NotifiedPhoto>,
    /// The beginning of the last comment, by the first of `usernames`, or of the comment that they like
    /// or pin. Only a `comment`, a `mention`, a `reply`, a `like` and a `pin` have it, and only with
    /// `include=comments`.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<CommentBeginning>,
    /// The last three people.
    usernames: Vec<Username>,
    /// The number of people, up to 50 events, and a text like `"50+"` above.
    number: Number,
    /// The time at which somebody was last added.
    changed: Time,
    /// Whether the caller has seen it in this state.
    seen: bool,
}

/// The photo of a notification.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct NotifiedPhoto {
    username: Username,
    id: PhotoId,
    /// The small size. Only with `include=photos`, and a photo of another program has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<Thumbnail>,
}

/// The beginning of a comment.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct CommentBeginning {
    /// The id among the comments on the photo.
    id: CommentId,
    /// The text, of at most 100 characters. A longer one ends in `…`.
    text: String,
}

/// The position of a notification in the inbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct InboxPosition {
    changed: Timestamp,
    topic: Topic,
}

/// A notification as it was read.
struct Read {
    position: InboxPosition,
    notification: Notification,
}

/// A notification on the page, with the key of its last comment.
struct Shown {
    notification: ShownNotification,
    comment: Option<(CommentId, Key)>,
}

/// The route.
pub struct ListNotifications {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for ListNotifications {
    const NAME: &'static str = "list-notifications";
    const ROUTE: &'static str = "GET /users/{username}/notifications";
    const SUMMARY: &'static str = "Returns a page of the caller's inbox, newest first: new followers, requests, accepted requests, \
         reactions, comments, replies, likes, pinned comments, mentions and new photos.";

    type Input = (Owner, Query<NotificationParts>, PageParameters);
    type Body = Inbox;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), Query(include), page): Self::Input) -> Result<Response<Inbox>, Error> {
        let Self { table, feed, signer } = self;
        let username = &caller.username;
        let mut page: Page<InboxPosition> = page.of("notifications", username)?;
        page.limit = page.limit.min(max_page(include));
        let limit = usize::try_from(page.limit).map_err(Error::internal)?;

        let user = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(username).into()));
        let after = page.after.take();
        let first = query_inbox(feed, username, after.as_ref(), limit);
        let ((mut read, mut has_more), user) = tokio::try_join!(first, async { Ok(user.send().await?.item) })?;
        let has_silenced = user.as_ref().is_some_and(|user| has_blocks(user) || has_any(user, MUTES));
        let mut visible = Visible::new(username);
        visible.add_caller(user.as_ref());
        let (mut shown, mut last, mut is_over_full): (Vec<Shown>, _, _) = (vec![], None, false);
        for round in 1..=MAX_ROUNDS {
            let (photos, seen) = read_photos(table, feed, username, &read).await?;
            let notifications = || read.iter().map(|one| &one.notification);
            let people = notifications().flat_map(Notification::checked_people);
            let people = people.chain(notifications().flat_map(Notification::answered_authors)).collect();
            visible.add(table, photos, has_silenced, people).await?;
            for one in &read {
                let is_seen = seen.as_ref().is_some_and(|seen| one.position.changed <= *seen);
                let notification = show(one, &visible, is_seen, include.photos.then_some(signer));
                if shown.len() < limit {
                    shown.extend(notification);
                    last = Some(one.position.clone());
                } else {
                    is_over_full |= notification.is_some();
                }
            }
            if shown.len() == limit || !has_more || round == MAX_ROUNDS {
                break;
            }
            let after = read.last().map(|one| &one.position);
            (read, has_more) = query_inbox(feed, username, after, MAX_LATER_READ).await?;
        }
        let has_more = has_more || is_over_full;
        let names = shown.iter().filter(|_| include.people).flat_map(|one| &one.notification.usernames);
        let comments = shown.iter().filter(|_| include.comments).filter_map(|one| one.comment.as_ref());
        let keys = names.map(Key::user).chain(comments.map(|(_, key)| key.clone())).collect();
        let found = batch::get(table, keys, false).await?;
        if include.comments {
            add_comments(&mut shown, &found, &visible)?;
        }
        let people = if include.people { signer.cards(&found)? } else { People::new() };
        let next_cursor = page.cursor(last.filter(|_| has_more))?;
        let notifications = shown.into_iter().map(|one| one.notification).collect();
        answer::private(&Inbox { notifications, people, next_cursor })
    }
}

/// Returns the maximum number of notifications on a page: one `BatchGetItem` reads the photo of each
/// and the bell, and another one the last three people and the last comment of each.
fn max_page(include: NotificationParts) -> i32 {
    let keys = MAX_NAMED * usize::from(include.people) + usize::from(include.comments);
    let max = batch::MAX_GET_KEYS.checked_div(keys).and_then(|max| i32::try_from(max).ok());
    max.unwrap_or(i32::MAX).min(MAX_LIMIT - 1)
}

/// Adds the beginnings of the comments that were found and that the caller may see.
fn add_comments(shown: &mut [Shown], found: &[Item], visible: &Visible<'_>) -> Result<(), Error> {
    for one in shown {
        let Some((id, key)) = one.comment.take() else { continue };
        let comment = batch::find(found, key).cloned().map(comment_from_item).transpose()?.flatten();
        let comment = comment.filter(|comment| visible.shows_comment(comment));
        one.notification.comment = comment.map(|comment| CommentBeginning { id, text: beginning(comment.text) });
    }
    Ok(())
}

/// Returns the newest notifications of a user, or those before `last`, and whether there are more.
async fn query_inbox(
    feed: &Table,
    user: &Username,
    last: Option<&InboxPosition>,
    limit: usize,
) -> Result<(Vec<Read>, bool), Error> {
    let output = feed
        .client
        .query()
        .table_name(&feed.name)
        .index_name(INBOX_BY_TIME)
        .key_condition_expression("pk = :user")
        .expression_attribute_values(":user", S(inbox_pk(user)))
        .scan_index_forward(false)
        .set_exclusive_start_key(last.map(|last| last.start_key(user)))
        .limit(i32::try_from(limit).map_err(Error::internal)?)
        .send()
        .await?;
    let read = output.items.unwrap_or_default().into_iter().map(Read::from_item).collect::<Result<_, _>>()?;
    Ok((read, output.last_evaluated_key.is_some()))
}

/// Reads the photos that notifications are about, with the [friendships](Visible::keys) beside them, and
/// up to when the user has seen the inbox. Without notifications, it sends no request. A second request
/// is needed only for more than 49 notifications, if they are about new photos.
async fn read_photos(
    table: &Table,
    feed: &Table,
    user: &Username,
    read: &[Read],
) -> Result<(Vec<Item>, Option<Timestamp>), Error> {
    let mut keys = Visible::keys(user, read.iter().map(|one| &one.position.topic));
    let next = keys.iter().nth(batch::MAX_GET_KEYS - 1).cloned();
    let later = next.map(|next| keys.split_off(&next)).unwrap_or_default();
    let seen = read.first().map(|_| Key::seen(user)).into_iter().collect();
    let [mut found, seen] = batch::get_from_tables([(table, keys), (feed, seen)], false).await?;
    found.extend(batch::get(table, later, false).await?);
    let seen = seen.first().and_then(|item| item.get("seen")?.as_s().ok()?.parse().ok());
    Ok((found, seen))
}

/// Returns a notification as the answer shows it, or `None` if nothing of it is to be shown. With a
/// signer, its photo has a picture.
fn show(
    Read { position: InboxPosition { changed, topic }, notification }: &Read,
    visible: &Visible<'_>,
    seen: bool,
    signer: Option<&Signer>,
) -> Option<Shown> {
    if topic.has_expired() || !visible.shows(topic) {
        return None;
    }
    let (usernames, number) = people(visible, notification);
    let newest = usernames.first()?;
    let comment = topic.photo.as_ref().and_then(|Position { author, id: photo }| {
        let event = notification.events.iter().rev().find(|event| event.person().as_ref() == Some(newest))?;
        let id = match topic.kind {
            NotificationKind::Comment | NotificationKind::Mention | NotificationKind::Reply => event.comment()?,
            NotificationKind::Like | NotificationKind::Pin => event.about()?,
            _ => return None,
        };
        let key = Key::comment(&id, author, photo);
        Some((id, key))
    });
    let photo = topic.photo.clone().map(|position| {
        let picture = signer.and_then(|signer| signer.thumbnail(visible.photo(&position)?, visible.relations()));
        NotifiedPhoto { username: position.author, id: position.id, picture }
    });
    let notification = ShownNotification {
        kind: topic.kind,
        photo,
        comment: None,
        usernames,
        number,
        changed: changed.clone().into(),
        seen,
    };
    Some(Shown { notification, comment })
}

impl Read {
    /// Reads an entry of the index.
    fn from_item(item: Item) -> Result<Self, Error> {
        let sk = item.get(FEED_SK).and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        let topic = Topic::parse(sk).ok_or_else(|| Error::internal(format!("{sk:?} is not that of a notification")))?;
        let notification: Notification = entity::from_item(item)?;
        let changed =
            notification.changed.clone().ok_or_else(|| Error::internal("an entry of the index has no time"))?;
        Ok(Self { position: InboxPosition { changed, topic }, notification })
    }
}

impl InboxPosition {
    /// Returns the `ExclusiveStartKey` that continues the inbox of a user after this position.
    fn start_key(&self, user: &Username) -> Item {
        let mut start_key = Item::from(Key::notification(user, &self.topic));
        start_key.insert("changed".to_owned(), S(self.changed.to_string()));
        start_key
    }
}
