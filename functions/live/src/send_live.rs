//! Queue `LiveQueue`: tells live screens what to read again.
//!
//! process-changes sends a message with the record of each change of which a screen may have to be told
//! ([`changes`](crate::changes)). What is sent has no content, so that whoever reads it is shown what
//! they may see. Who is told is decided here, by the rules of reading:
//!
//! - **The bell** of a user, when the inbox shows something new ([`bell`]).
//! - **A photo** to the screens that show it, and to its owner when it is ready, or a picture of it is
//!   rejected ([`photo`]).
//! - **The feed** of a follower, when it has a new photo ([`feed`]).
//!
//! One `PostToConnection` goes to each connection. One that is gone is taken out of its screen by an
//! `UpdateItem`.
//!
//! **At most once in a second** the screens of a bell or of a photo are told ([`claim`]), however many
//! changes there are. The last change is always told, at least once.

use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use shared::changes::{Work, new_notices, run};
use shared::dynamodb::unless_condition_failed;
use shared::entities::{Key, Kind, Screens, TICKET_LIFETIME};
use shared::runtime::stream::{Batch, Failure, Record};
use shared::values::{PhotoReference, ScreenId, Timestamp, Username};
use shared::{BatchHandler, Error, Process, StartError, Table};

use crate::changes::{PicturesChange, changed_photo, changed_pictures};
use crate::connections::{Connections, Hint};

mod bell;
mod claim;
mod feed;
mod photo;
#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of reads, at most 2 s of which wait for another job.
const MAX_ATTEMPTS: usize = 10;
/// The time between two reads.
const READ_PAUSE: Duration = Duration::from_millis(200);
/// The maximum time of the handshake of a connection, for which API Gateway waits for the answer of
/// connect-screen. Until it ends, the connection is gone for every message.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(30);
/// The maximum number of messages that are sent at the same time for one change.
const MAX_CONCURRENT_MESSAGES: usize = 50;

/// The function.
pub struct SendLive {
    table: Table,
    feed: Table,
    connections: Connections,
    /// The maximum number of followers of an author whose photos are written into feeds.
    max_pushed: u64,
}

impl BatchHandler for SendLive {
    const NAME: &'static str = "send-live";

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            connections: Connections::from_process(process)?,
            max_pushed: process.parsed("MAX_PUSHED_FOLLOWERS")?,
        })
    }

    async fn handle(&self, batch: Batch) -> Vec<Failure> {
        let work = batch.records.iter().map(|record| Work::new(vec![record.id.clone()], self.tell_of(record)));
        let later = || Error::internal("a message is never left for later");
        let unfinished = run(work.collect(), batch.deadline).await.into_iter();
        unfinished.map(|one| Failure { ids: one.ids, error: one.error.unwrap_or_else(later) }).collect()
    }
}

impl SendLive {
    /// Tells the screens that the change of a record concerns.
    async fn tell_of(&self, record: &Record) -> Result<(), Error> {
        for notice in new_notices(record)? {
            self.tell_of_notice(notice, Key::of_item(&record.keys)?).await?;
        }
        if Kind::Pictures.is_of(&record.keys) {
            return match changed_pictures(record)? {
                Some((photo, PicturesChange::Rejected)) => self.tell_owner(&photo).await,
                Some((photo, PicturesChange::Shown)) => self.tell_watchers(&photo).await,
                None => Ok(()),
            };
        }
        if !Kind::Photo.is_of(&record.keys) {
            return Ok(());
        }
        let Some((photo, transition)) = changed_photo(record)? else { return Ok(()) };
        let reference = PhotoReference { username: photo.username.clone(), id: photo.id.clone() };
        if transition.is_settled {
            self.tell_owner(&reference).await?;
        }
        self.tell_watchers(&reference).await?;
        if transition.reaches_followers {
            self.tell_followers(&photo).await?;
        }
        Ok(())
    }

    /// Sends a hint to the connections of screens, each with its user and its id.
    async fn send(&self, to: Vec<(Username, ScreenId, String)>, hint: Hint<'_>) -> Result<(), Error> {
        let messages = stream::iter(to).map(|(user, id, connection)| async move {
            if self.connections.send(&connection, hint).await? {
                Ok(())
            } else {
                self.forget(&user, &id, &connection).await
            }
        });
        messages.buffer_unordered(MAX_CONCURRENT_MESSAGES).try_collect().await
    }

    /// Takes a connection that is gone out of its screen, unless the screen has another one by now, or the
    /// app has used the screen so lately that the connection may be in its handshake. A screen that is in
    /// its handshake reads everything afterwards, and is told of what changes then.
    async fn forget(&self, user: &Username, id: &ScreenId, connection: &str) -> Result<(), Error> {
        let oldest = SystemTime::now().checked_sub(TICKET_LIFETIME + HANDSHAKE_TIMEOUT).map(Timestamp::from);
        let oldest = oldest.ok_or_else(|| Error::internal("the clock is before 1970"))?;
        let update = self
            .feed
            .client
            .update_item()
            .table_name(&self.feed.name)
            .set_key(Some(Key::screens(user).into()))
            .condition_expression("#screens.#id.#connection = :connection AND #screens.#id.#used < :oldest")
            .update_expression("REMOVE #screens.#id.#connection ADD revision :one")
            .expression_attribute_names("#screens", "screens")
            .expression_attribute_names("#id", id.to_string())
            .expression_attribute_names("#connection", "connection")
            .expression_attribute_names("#used", "used")
            .expression_attribute_values(":oldest", S(oldest.to_string()))
            .expression_attribute_values(":connection", S(connection.to_owned()))
            .expression_attribute_values(":one", N("1".to_owned()));
        unless_condition_failed(update.send().await)?;
        Ok(())
    }
}

/// Returns the connections of a user's screens, as they are sent to.
fn connections_of(user: &Username, screens: &Screens) -> Vec<(Username, ScreenId, String)> {
    screens.connections().map(|(id, connection)| (user.clone(), id.clone(), connection.to_owned())).collect()
}
