//! Updates the inboxes after somebody has followed, asked, accepted, reacted, commented, mentioned or
//! shared a photo, and the bells, which count what is new in them.
//!
//! The requests for each notification:
//!
//! - One consistent `BatchGetItem` reads the [`Notification`] and the items that its records are
//!   about. An item that exists now is an event of the notification, and one that does not exist is
//!   none.
//! - One `PutItem` puts the notification, on the condition that nobody has changed it since.
//! - Both are read again, until there is nothing to change.
//!
//! Then the bell of the user names the notifications of the batch (`changes/bell.rs`). Blocks, mutes,
//! friendships and audiences, which hide notifications and show them again, change bells too.
//!
//! Nobody is told of what they did themselves.
//!
//! **No step relies on the order of records.** A record may be late, or come again: its event comes
//! from the item as it is now. An invocation that stalls between its read and its write corrects
//! what it has written, or finds that it cannot write. So does an attempt that arrives late,
//! because each change of a notification has another revision.
//!
//! **An edit is no news.** What an edited comment tells somebody counts as new at the time of
//! the comment. So a mention that edits take out and put back does not count as unseen again.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue::N;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use shared::Error;
use shared::changes::{Context, Work, new_notices};
use shared::dynamodb::{batch, entity, unless_condition_failed};
use shared::entities::{Event, Key, Notice, Notification, Topic, notices};
use shared::runtime::stream::Record;
use shared::values::{NotificationKind, Timestamp, Username};

use self::bell::About;

mod audience;
mod bell;

/// The maximum number of items that one `BatchGetItem` reads for a notification, beside the
/// notification and its user.
const MAX_ITEMS: usize = 98;
/// The retry budget: the maximum number of times that a notification is read. Two are needed for a
/// change. More are needed only if another invocation changes the notification meanwhile, or
/// somebody changes the items.
const MAX_ATTEMPTS: usize = 12;
/// The maximum number of notifications of a user that are updated at the same time.
const MAX_CONCURRENT_UPDATES: usize = 16;

/// The changes in the inbox of one user.
#[derive(Default)]
struct Changed {
    record_ids: BTreeSet<String>,
    /// The events that may have begun or ended, by their topics, each with the key of its item.
    topics: BTreeMap<Topic, BTreeMap<Event, Key>>,
}

/// Returns the work that follows from records: a unit for each inbox, so that its bell changes once,
/// and one for each record of a change that hides notifications or shows them again.
#[must_use]
pub fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let mut inboxes: BTreeMap<Username, Changed> = BTreeMap::new();
    let mut others = vec![];
    for record in records {
        match changed(record).and_then(|notices| Ok((notices, Key::of_item(&record.keys)?))) {
            Ok((notices, key)) => {
                for Notice { user, topic, event } in notices {
                    let changed = inboxes.entry(user).or_default();
                    changed.record_ids.insert(record.id.clone());
                    changed.topics.entry(topic).or_default().insert(event, key.clone());
                }
            }
            Err(error) => others.push(Work::failed(vec![record.id.clone()], error)),
        }
        if audience::may_change(record) {
            others.push(Work::new(vec![record.id.clone()], audience::update_bells(context, record)));
        }
    }
    let updates = inboxes.into_iter().map(|(user, Changed { record_ids, topics })| {
        Work::new(record_ids.into_iter().collect(), update_inbox(context, user, topics))
    });
    updates.chain(others).collect()
}

/// Returns the work of send-push that follows from records: those that tell somebody something at once
/// are left to it.
#[must_use]
pub fn push_work(records: &[Record]) -> Vec<Work<'_>> {
    let work = records.iter().filter_map(|record| match new_notices(record) {
        Ok(notices) if notices.is_empty() => None,
        Ok(_) => Some(Work::later(record)),
        Err(error) => Some(Work::failed(vec![record.id.clone()], error)),
    });
    work.collect()
}

/// Returns the notices of the item of a record before or after the change, but not both, whose
/// notification has not expired. An old comment can still be edited, and an old friendship can end.
fn changed(record: &Record) -> Result<BTreeSet<Notice>, Error> {
    let (old, new) = (notices(&record.old_image)?, notices(&record.new_image)?);
    Ok(old.symmetric_difference(&new).filter(|notice| !notice.topic.has_expired()).cloned().collect())
}

/// Updates the notifications of a user after changes of the items with these keys, and then the
/// bell.
async fn update_inbox(
    context: &Context,
    user: Username,
    topics: BTreeMap<Topic, BTreeMap<Event, Key>>,
) -> Result<(), Error> {
    let names: Vec<Topic> = topics.keys().cloned().collect();
    let updates = stream::iter(topics).map(|(topic, events)| update_all(context, &user, topic, events));
    updates.buffer_unordered(MAX_CONCURRENT_UPDATES).try_collect::<()>().await?;
    bell::update(context, &user, About::Topics(names)).await
}

/// Updates a notification after changes of the items with these keys.
async fn update_all(
    context: &Context,
    user: &Username,
    topic: Topic,
    mut events: BTreeMap<Event, Key>,
) -> Result<(), Error> {
    while !events.is_empty() {
        let rest = events.keys().nth(MAX_ITEMS).cloned().map(|next| events.split_off(&next)).unwrap_or_default();
        update(context, user, &topic, &events).await?;
        events = rest;
    }
    Ok(())
}

/// Updates a notification until it has the events that are there now, and none that is not.
async fn update(context: &Context, user: &Username, topic: &Topic, events: &BTreeMap<Event, Key>) -> Result<(), Error> {
    let key = Key::notification(user, topic);
    for _ in 0..MAX_ATTEMPTS {
        let (stored, present) = read(context, user, topic, events).await?;
        let gone = events.keys().filter(|event| !present.contains_key(event)).cloned().collect();
        let Some(changed) = stored.merge(present, &gone) else { return Ok(()) };
        let item = changed.item(key.clone(), topic.expiry())?;
        let put = context.feed.client.put_item().table_name(&context.feed.name).set_item(Some(item));
        let put = match stored.revision {
            0 => put.condition_expression("attribute_not_exists(pk)"),
            revision => put
                .condition_expression("revision = :revision")
                .expression_attribute_values(":revision", N(revision.to_string())),
        };
        unless_condition_failed(put.send().await)?;
    }
    Err(Error::Busy("the notification changed during each attempt".into()))
}

/// Reads a notification, and which of the events are there, each with the time at which it counts
/// as new, with one consistent `BatchGetItem`. A user who does not exist has no events: anybody can
/// mention any name, and an alert, a reply or a like can be written just before its user is deleted.
async fn read(
    Context { table, feed, .. }: &Context,
    user: &Username,
    topic: &Topic,
    events: &BTreeMap<Event, Key>,
) -> Result<(Notification, BTreeMap<Event, Timestamp>), Error> {
    let mut keys: BTreeSet<Key> = events.values().cloned().collect();
    let may_be_of_nobody = matches!(
        topic.kind,
        NotificationKind::Like
            | NotificationKind::Mention
            | NotificationKind::Photo
            | NotificationKind::Pin
            | NotificationKind::Reply
    );
    let user_key = Key::user(user);
    keys.extend(may_be_of_nobody.then(|| user_key.clone()));
    let notification = [Key::notification(user, topic)].into();
    let [mut found, stored] = batch::get_from_tables([(table, keys), (feed, notification)], true).await?;
    let stored: Option<Notification> = stored.into_iter().next().map(entity::from_item).transpose()?;
    let exists =
        !may_be_of_nobody || batch::take(&mut found, user_key).is_some_and(|item| item.contains_key("username"));
    let (now, mut present) = (Timestamp::now(), BTreeMap::new());
    for item in found.iter().filter(|_| exists) {
        let is_edited = item.contains_key("edited");
        let of_topic = notices(item)?.into_iter().filter(|notice| notice.user == *user && notice.topic == *topic);
        let of_topic = of_topic.map(|notice| notice.event).filter(|event| events.contains_key(event));
        present.extend(of_topic.map(|event| {
            let own_time = event.time().filter(|_| is_edited);
            (event, own_time.unwrap_or_else(|| now.clone()))
        }));
    }
    Ok((stored.unwrap_or_default(), present))
}
