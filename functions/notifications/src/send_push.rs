//! Queue `PushQueue`: tells the devices of users what is new in their inboxes.
//!
//! process-changes sends a message with the record of each new item that an inbox tells of. The
//! requests for each notification of a batch:
//!
//! - One consistent `BatchGetItem` reads the user, the items of the records, the devices, the bell and
//!   the [`Notification`]. Those of [`visible_in_inbox`](shared::access::visible_in_inbox) follow, where the inbox needs them.
//! - One `UpdateItem` of the notification claims it, on the condition that nobody has changed it since.
//! - One request goes to each device: [Web Push](web), or [AWS End User Messaging](phones).
//! - One `UpdateItem` notes which devices need no further attempt, and one deletes each device of which
//!   its service says that it is gone.
//!
//! **The inbox decides.** What it does not show, because of a block, a mute, an audience or a deletion,
//! is not sent, and neither is what the user has seen. An event that the inbox does not have yet is
//! tried again.
//!
//! **One message for what belongs together.** All events of a batch of one notification are one message,
//! and a later message has the same collapse key, so that a device shows the newest one. Reactions and
//! new followers are sent again after [a pause](claim) at the earliest.
//!
//! **At least once.** A claim counts for [a minute](claim). If an invocation ends in between, its
//! message comes again, and the devices get theirs once more, but not a third time. The same holds if
//! the answer of a service is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::{N, S, Ss};
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use futures_util::future::join_all;
use shared::access::{self, MAX_NEWS_ITEMS, news};
use shared::changes::{Work, new_notices, run};
use shared::dynamodb::{Item, batch, entity, unless_condition_failed};
use shared::entities::{
    Address, Comment, DEVICE_IDS, Device, Event, Key, Notification, Pushed, Topic, device_attribute, devices,
    user_without_attributes,
};
use shared::runtime::stream::{Batch, Failure};
use shared::values::{DeviceId, NotificationKind, Timestamp, Username};
use shared::{BatchHandler, Error, Process, StartError, Table};
use tokio::time::sleep;

use self::answer::Answer;
use self::claim::next;
use self::message::Message;
use self::phones::Phones;
use self::web::Browsers;

mod answer;
mod claim;
mod message;
mod phones;
#[cfg(test)]
mod tests;
mod texts;
mod web;

/// The retry budget: the maximum number of reads, at most 2 s of which wait for the inbox.
const MAX_ATTEMPTS: usize = 10;
/// The time between two reads.
const READ_PAUSE: Duration = Duration::from_millis(200);

/// The function.
pub struct SendPush {
    table: Table,
    feed: Table,
    browsers: Browsers,
    phones: Option<Phones>,
}

/// The records of a batch about one notification, and their events.
#[derive(Default)]
struct News {
    record_ids: BTreeSet<String>,
    /// The new events, each with the key of its item.
    events: BTreeMap<Event, Key>,
}

/// A notification that is to be sent.
struct Ready {
    notification: Notification,
    message: Message,
    pushed: Pushed,
    devices: Vec<(DeviceId, Device)>,
}

impl BatchHandler for SendPush {
    const NAME: &'static str = "send-push";

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            browsers: Browsers::from_process(process)?,
            phones: Phones::from_process(process)?,
        })
    }

    async fn handle(&self, batch: Batch) -> Vec<Failure> {
        let mut failures = vec![];
        let mut pushes: BTreeMap<(Username, Topic), News> = BTreeMap::new();
        for record in batch.records {
            match new_notices(&record).and_then(|notices| Ok((notices, Key::of_item(&record.keys)?))) {
                Ok((notices, key)) => {
                    for notice in notices {
                        let news = pushes.entry((notice.user, notice.topic)).or_default();
                        news.record_ids.insert(record.id.clone());
                        news.events.insert(notice.event, key.clone());
                    }
                }
                Err(error) => failures.push(Failure { ids: vec![record.id], error }),
            }
        }
        let work = pushes.into_iter().map(|((user, topic), News { record_ids, mut events })| {
            while events.len() > MAX_NEWS_ITEMS {
                events.pop_first();
            }
            Work::new(record_ids.into_iter().collect(), self.push(user, topic, events))
        });
        let later = || Error::internal("a push is never left for later");
        let unfinished = run(work.collect(), batch.deadline).await.into_iter();
        failures.extend(unfinished.map(|one| Failure { ids: one.ids, error: one.error.unwrap_or_else(later) }));
        failures
    }
}

impl SendPush {
    /// Sends a notification to the devices of a user, if these events are new in it.
    async fn push(&self, user: Username, topic: Topic, events: BTreeMap<Event, Key>) -> Result<(), Error> {
        for _ in 0..MAX_ATTEMPTS {
            match self.read(&user, &topic, &events).await? {
                Found::Nothing => return Ok(()),
                Found::NotYet => sleep(READ_PAUSE).await,
                Found::Ready(ready) => {
                    if self.claim(&user, &topic, &ready).await? {
                        return self.send(&user, &topic, *ready).await;
                    }
                }
            }
        }
        Err(Error::Busy("the inbox does not have the event yet, or changed during each attempt".into()))
    }

    /// Reads what there is to send.
    async fn read(&self, user: &Username, topic: &Topic, events: &BTreeMap<Event, Key>) -> Result<Found, Error> {
        let tables = (&self.table, &self.feed);
        let access::News { profile, receivers, items, newest, notification, changed, bell, visible } =
            match news(tables, user, topic, events, Key::devices(user)).await? {
                access::Found::Nothing => return Ok(Found::Nothing),
                access::Found::NotYet => return Ok(Found::NotYet),
                access::Found::News(news) => *news,
            };
        let devices = devices(receivers)?;
        let Some(settings) = user_without_attributes(&profile)? else { return Ok(Found::Nothing) };
        let is_quiet = settings.quiet_hours.as_ref().is_some_and(|hours| hours.contains(jiff::Timestamp::now()));
        if devices.is_empty() || is_quiet || settings.push_off.contains(topic.kind) {
            return Ok(Found::Nothing);
        }
        let Some(pushed) = next(notification.pushed.as_ref(), topic.kind, &changed, &Timestamp::now()) else {
            return Ok(Found::Nothing);
        };
        let (people, number) = access::people(&visible, &notification);
        let comment = comment(&items, &newest, events, &people)?.filter(|comment| visible.shows_comment(comment));
        let new_photo = topic.photo.as_ref().filter(|_| topic.kind == NotificationKind::Photo);
        let caption = new_photo.and_then(|photo| visible.photo(photo)?.caption.clone());
        let text = comment.map(|comment| comment.text).or(caption);
        let message = Message::new(user, &settings, topic, people, number, text, &bell);
        Ok(Found::Ready(Box::new(Ready { notification, message, pushed, devices })))
    }

    /// Notes in the notification that this invocation sends it. Returns `false` if it has changed since
    /// it was read.
    async fn claim(
        &self,
        user: &Username,
        topic: &Topic,
        Ready { notification, pushed, .. }: &Ready,
    ) -> Result<bool, Error> {
        let update = self
            .feed
            .client
            .update_item()
            .table_name(&self.feed.name)
            .set_key(Some(Key::notification(user, topic).into()))
            .condition_expression("revision = :revision")
            .update_expression("SET pushed = :pushed, revision = :next")
            .expression_attribute_values(":revision", N(notification.revision.to_string()))
            .expression_attribute_values(":next", N((notification.revision + 1).to_string()))
            .expression_attribute_values(":pushed", serde_dynamo::to_attribute_value(pushed)?);
        let update = update.return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let Err(error) = update.send().await else { return Ok(true) };
        match error.as_service_error() {
            // The SDK sends the update again after a lost answer.
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                let found: Option<Notification> = failed.item.clone().map(entity::from_item).transpose()?;
                Ok(found.and_then(|found| found.pushed).is_some_and(|found| found.claim == pushed.claim))
            }
            _ => Err(error.into()),
        }
    }

    /// Sends a notification to the devices that have not got it, and notes which have.
    async fn send(&self, user: &Username, topic: &Topic, ready: Ready) -> Result<(), Error> {
        let Ready { message, mut pushed, mut devices, .. } = ready;
        devices.retain(|(id, _)| !pushed.sent.contains(id.as_ref()));
        let answers = join_all(devices.iter().map(|(_, device)| self.send_to(device, &message))).await;
        let (mut left, mut attempts) = (vec![], 0);
        for ((id, device), answer) in devices.iter().zip(answers) {
            match answer? {
                Answer::Accepted => {}
                Answer::Gone => self.forget(user, id, device).await?,
                Answer::Refused(reason) => tracing::warn!(kind = ?device.address.kind(), reason, "a push was refused"),
                Answer::Busy(reason) => {
                    left.push(reason);
                    continue;
                }
                Answer::Unknown(reason) => {
                    left.push(reason);
                    // It counts like an attempt that did not end, after which the device may have the message.
                    attempts = pushed.attempts;
                    continue;
                }
            }
            pushed.sent.insert(id.to_string());
        }
        let pushed = Pushed { until: 0, attempts, is_done: left.is_empty(), ..pushed };
        let update = self
            .feed
            .client
            .update_item()
            .table_name(&self.feed.name)
            .set_key(Some(Key::notification(user, topic).into()))
            .condition_expression("pushed.claim = :claim")
            .update_expression("SET pushed = :pushed, revision = revision + :one")
            .expression_attribute_values(":claim", S(pushed.claim.clone()))
            .expression_attribute_values(":pushed", serde_dynamo::to_attribute_value(&pushed)?)
            .expression_attribute_values(":one", N("1".to_owned()));
        // Somebody else sends a newer state, or the user was deleted.
        unless_condition_failed(update.send().await)?;
        if left.is_empty() { Ok(()) } else { Err(Error::Busy(left.join("; ").into())) }
    }

    async fn send_to(&self, device: &Device, message: &Message) -> Result<Answer, Error> {
        let message = message.in_language(device.locale.as_ref());
        match (&device.address, &self.phones) {
            (Address::Web { endpoint, keys }, _) => self.browsers.send(endpoint, keys, &message).await,
            (Address::Apns { token }, Some(phones)) => phones.send_to_apple(token, &message).await,
            (Address::Fcm { token }, Some(phones)) => phones.send_to_firebase(token, &message).await,
            (Address::Apns { .. } | Address::Fcm { .. }, None) => {
                Ok(Answer::Refused("this deployment sends no pushes to phones".to_owned()))
            }
        }
    }

    /// Removes a device that gets no more messages, unless it has another address by now.
    async fn forget(&self, user: &Username, id: &DeviceId, device: &Device) -> Result<(), Error> {
        let (part, address) = match &device.address {
            Address::Web { endpoint, .. } => ("endpoint", endpoint.to_string()),
            Address::Apns { token } | Address::Fcm { token } => ("token", token.to_string()),
        };
        let update = self
            .feed
            .client
            .update_item()
            .table_name(&self.feed.name)
            .set_key(Some(Key::devices(user).into()))
            .condition_expression("#device.address.#part = :address")
            .update_expression("REMOVE #device DELETE #ids :ids")
            .expression_attribute_names("#device", device_attribute(id))
            .expression_attribute_names("#part", part)
            .expression_attribute_names("#ids", DEVICE_IDS)
            .expression_attribute_values(":address", S(address))
            .expression_attribute_values(":ids", Ss(vec![id.to_string()]));
        unless_condition_failed(update.send().await)?;
        Ok(())
    }
}

/// The result of reading a notification.
enum Found {
    /// There is nothing to send.
    Nothing,
    /// The inbox does not have the events yet.
    NotYet,
    Ready(Box<Ready>),
}

/// Returns the comment that an event tells of, if it is by the first of the people.
fn comment(
    items: &[Item],
    event: &Event,
    events: &BTreeMap<Event, Key>,
    people: &[Username],
) -> Result<Option<Comment>, Error> {
    let Some(key) = events.get(event).filter(|_| event.person().as_ref() == people.first()) else { return Ok(None) };
    let item = batch::find(items, key.clone()).filter(|item| item.contains_key("text"));
    item.cloned().map(entity::from_item).transpose()
}
