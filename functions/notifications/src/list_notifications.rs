//! One `Query` of the index `InboxByTime` of `<stage>.Feed` reads them. One `BatchGetItem` reads
//! the photos that they are about, and up to when the caller has seen the inbox. With
//! `include=people`, another one reads the people.
//!
//! A page shows no photo that is gone or that the caller may not see, and nobody whom the caller
//! blocks or mutes, or who blocks the caller. A `GetItem` at the same time as the `Query` reads
//! whether there can be such people. Only if so, `BatchGetItem` reads the blocks. If a page is not
//! full then, older notifications are read, up to [`MAX_ROUNDS`] times in total.
//!
//! The first page also counts what the caller has not seen, up to [`MAX_EVENTS`]. So it reads one
//! more notification than that, and reads on like a page that is not full until it has met one that
//! the caller has seen. If it has met none after [`MAX_ROUNDS`], the count is a text like `"2+"`.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::Visible;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    FEED_SK, INBOX_BY_TIME, Key, MAX_EVENTS, MAX_NAMED, MUTES, Notification, Number, Position, Topic, has_any,
    has_blocks, inbox_pk,
};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{MAX_LIMIT, Page, PageParameters};
use shared::show::{People, Signer};
use shared::values::{NotificationKind, PeopleParts, Timestamp, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of times that notifications are read for one page.
const MAX_ROUNDS: usize = 5;
/// The maximum number of notifications on a page: a `BatchGetItem` reads the photo of each, and one
/// item more.
const MAX_PAGE: i32 = MAX_LIMIT - 1;
/// The maximum number of notifications on a page with `include=people`: a second `BatchGetItem`
/// reads the last three people of each.
const MAX_PAGE_WITH_PEOPLE: i32 = MAX_PAGE / 3;
/// The number of people of a notification of whom a block is looked for, so that enough are left to
/// be named. Nobody else is named.
const MAX_CHECKED: usize = 5;

/// A page of the caller's inbox.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inbox {
    /// The notifications, newest first.
    notifications: Vec<ShownNotification>,
    /// The number of notifications that the caller has not seen, up to 50, and `"50+"` above. Only
    /// the first page has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unseen: Option<Number>,
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
    /// The photo that people reacted to or commented on, or on which they mentioned the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<PhotoId>,
    /// The last three people.
    usernames: Vec<Username>,
    /// The number of people, up to 50 events, and a text like `"50+"` above.
    number: Number,
    /// The time at which somebody was last added.
    changed: Timestamp,
    /// Whether the caller has seen it in this state.
    seen: bool,
}

/// The id of a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct PhotoId {
    username: Username,
    timestamp: Timestamp,
}

/// The position of a notification in the inbox.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
         reactions, comments and mentions.";

    type Input = (Owner, Query<PeopleParts>, PageParameters);
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
        page.limit = page.limit.min(if include.people { MAX_PAGE_WITH_PEOPLE } else { MAX_PAGE });
        let limit = usize::try_from(page.limit).map_err(Error::internal)?;
        let is_first = page.after.is_none();
        let read_limit = if is_first { limit.max(MAX_EVENTS + 1) } else { limit };

        let user = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(username).into()));
        let after = page.after.take();
        let first = query_inbox(feed, username, after.as_ref(), read_limit);
        let ((mut read, mut has_more), user) = tokio::try_join!(first, async { Ok(user.send().await?.item) })?;
        let has_silenced = user.is_some_and(|user| has_blocks(&user) || has_any(&user, MUTES));
        let mut visible = Visible::new(username);
        let (mut shown, mut last, mut is_over_full) = (vec![], None, false);
        let (mut unseen, mut is_counted) = (0, !is_first);
        for round in 1..=MAX_ROUNDS {
            let (photos, seen) = read_photos(table, feed, username, &read).await?;
            let people = read.iter().flat_map(|one| one.notification.people().into_iter().take(MAX_CHECKED));
            visible.add(table, photos, has_silenced, people.collect()).await?;
            for one in &read {
                let is_seen = seen.as_ref().is_some_and(|seen| one.position.changed <= *seen);
                // Those that follow are older.
                is_counted |= is_seen;
                let notification = show(one, &visible, is_seen);
                unseen += usize::from(notification.is_some() && !is_seen);
                if shown.len() < limit {
                    shown.extend(notification);
                    last = Some(one.position.clone());
                } else {
                    is_over_full |= notification.is_some();
                }
            }
            is_counted |= !has_more || unseen > MAX_EVENTS;
            if is_counted && (shown.len() == limit || !has_more) || round == MAX_ROUNDS {
                break;
            }
            let after = read.last().map(|one| &one.position);
            (read, has_more) = query_inbox(feed, username, after, limit.max(MAX_EVENTS + 1)).await?;
        }
        let has_more = has_more || is_over_full;
        let unseen = is_first.then_some(match unseen {
            unseen if unseen > MAX_EVENTS => Number::MoreThan(MAX_EVENTS),
            unseen if is_counted => Number::Exactly(unseen),
            unseen => Number::MoreThan(unseen),
        });
        let people = if include.people {
            let names: BTreeSet<&Username> = shown.iter().flat_map(|one: &ShownNotification| &one.usernames).collect();
            let keys = names.into_iter().map(|name| Key::user(name).into()).collect();
            signer.cards(&batch::get(table, keys, false).await?)?
        } else {
            People::new()
        };
        let next_cursor = page.cursor(last.filter(|_| has_more))?;
        answer::private(&Inbox { notifications: shown, unseen, people, next_cursor })
    }
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

/// Reads the photos that notifications are about, and up to when the user has seen the inbox.
/// Without notifications, it sends no request.
async fn read_photos(
    table: &Table,
    feed: &Table,
    user: &Username,
    read: &[Read],
) -> Result<(Vec<Item>, Option<Timestamp>), Error> {
    let photos: BTreeSet<_> = read.iter().filter_map(|one| one.position.topic.photo.as_ref()).collect();
    let keys = photos.into_iter().map(|photo| Key::photo(&photo.author, &photo.timestamp).into()).collect();
    let seen = if read.is_empty() { vec![] } else { vec![Key::seen(user).into()] };
    let [photos, seen] = batch::get_from_tables([(table, keys), (feed, seen)], false).await?;
    let seen = seen.first().and_then(|item| item.get("seen")?.as_s().ok()?.parse().ok());
    Ok((photos, seen))
}

/// Returns a notification as the answer shows it, or `None` if nothing of it is to be shown.
fn show(
    Read { position: InboxPosition { changed, topic }, notification }: &Read,
    visible: &Visible<'_>,
    seen: bool,
) -> Option<ShownNotification> {
    if !visible.shows(topic) {
        return None;
    }
    let mut people = notification.people();
    // Of the others nobody knows whether there is a block.
    let mut named: Vec<Username> = people.iter().take(MAX_CHECKED).cloned().collect();
    people.retain(|person| !visible.silences(person));
    let number = people.len();
    named.retain(|person| !visible.silences(person));
    named.truncate(MAX_NAMED);
    let photo = topic.photo.clone().map(|Position { author, timestamp }| PhotoId { username: author, timestamp });
    (!named.is_empty()).then_some(ShownNotification {
        kind: topic.kind,
        photo,
        usernames: named,
        number: if notification.is_cut() { Number::MoreThan(number) } else { Number::Exactly(number) },
        changed: changed.clone(),
        seen,
    })
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
