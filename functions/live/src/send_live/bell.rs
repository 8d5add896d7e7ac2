//! Tells a user that the inbox has something new.
//!
//! The requests of [`news`] decide whether the inbox shows it. They are repeated until the bell has it,
//! so that a screen which reads the bell then finds it. Then the screens [claim] the message. After a
//! pause they are read again.

use std::collections::BTreeMap;

use shared::Error;
use shared::access::{Found, news};
use shared::dynamodb::entity;
use shared::entities::{Key, Notice, Screens};
use shared::values::EpochMillis;
use tokio::time::sleep;

use super::claim::{Claim, MAX_CLAIMS, claim};
use super::{MAX_ATTEMPTS, READ_PAUSE, SendLive, connections_of};
use crate::connections::Hint;

impl SendLive {
    /// Tells a user of a notice of the item at a key.
    pub(super) async fn tell_of_notice(&self, Notice { user, topic, event }: Notice, key: Key) -> Result<(), Error> {
        let events = BTreeMap::from([(event, key)]);
        let (mut reads, mut claims, mut since) = (0, 0, None);
        while reads < MAX_ATTEMPTS && claims < MAX_CLAIMS {
            let read = EpochMillis::now();
            let found = news((&self.table, &self.feed), &user, &topic, &events, Key::screens(&user)).await?;
            match found {
                Found::Nothing => return Ok(()),
                Found::News(news) if news.bell.names(&user, &topic, &news.changed) => {
                    let screens: Screens = entity::from_item(news.receivers)?;
                    let connections = connections_of(&user, &screens);
                    if connections.is_empty() {
                        return Ok(());
                    }
                    let since = *since.get_or_insert_with(EpochMillis::now);
                    match claim(&self.feed, &Key::screens(&user), None, since, read).await? {
                        Claim::Told => return self.send(connections, Hint::Notifications).await,
                        Claim::Covered => return Ok(()),
                        Claim::Wait(pause) => sleep(pause).await,
                    }
                    claims += 1;
                }
                Found::NotYet | Found::News(_) => {
                    sleep(READ_PAUSE).await;
                    reads += 1;
                }
            }
        }
        Err(Error::Busy("the bell does not have the event yet, or others told the screens during each attempt".into()))
    }
}
