//! Tells a user that the inbox has something new.
//!
//! The requests of [`news`] decide whether the inbox shows it. They are repeated until the bell has it,
//! so that a screen which reads the bell then finds it. Then the screens [claim] the message.

use std::collections::BTreeMap;

use shared::Error;
use shared::access::{Found, news};
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Notice, Screens};
use shared::values::EpochMillis;
use tokio::time::sleep;

use super::claim::claim;
use super::{MAX_ATTEMPTS, READ_PAUSE, SendLive, connections_of};
use crate::connections::Hint;

impl SendLive {
    /// Tells a user of a notice of the item at a key.
    pub(super) async fn tell_of_notice(&self, Notice { user, topic, event }: Notice, item: Item) -> Result<(), Error> {
        let events = BTreeMap::from([(event, item)]);
        for _ in 0..MAX_ATTEMPTS {
            let found = news((&self.table, &self.feed), &user, &topic, &events, Key::screens(&user)).await?;
            match found {
                Found::Nothing => return Ok(()),
                Found::News(news) if news.bell.names(&user, &topic, &news.changed) => {
                    let screens: Screens = entity::from_item(news.receivers)?;
                    let connections = connections_of(&user, &screens);
                    let since = EpochMillis::now();
                    if !connections.is_empty() && claim(&self.feed, &Key::screens(&user), None, since).await? {
                        self.send(connections, Hint::Notifications).await?;
                    }
                    return Ok(());
                }
                Found::NotYet | Found::News(_) => sleep(READ_PAUSE).await,
            }
        }
        Err(Error::Busy("the bell does not have the event yet".into()))
    }
}
