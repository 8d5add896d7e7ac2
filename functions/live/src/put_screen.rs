//! A consistent `GetItem` reads the screens of the caller. One `TransactWriteItems` puts them with the
//! new one, puts and deletes the watchers that follow, and checks that the caller's profile is of the
//! caller's account. It has the condition that nobody has changed the screens since. The connection of
//! a screen that is replaced is closed afterwards.
//!
//! Each answer has a ticket, which the screen needs only to connect. A ticket that has not been used stays
//! for another minute, so a screen may show another photo while it connects.

use serde::Serialize;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::Screen;
use shared::entities::account::Account;
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner, Path};
use shared::http::fields::Fields;
use shared::values::{PhotoReference, ScreenId, Ticket, Timestamp};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

use crate::connections::Connections;
use crate::screens;

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of transactions. More than one are needed only if other
/// requests change the screens meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct PutScreen {
    table: Table,
    feed: Table,
    connections: Connections,
    /// The address of the WebSocket API.
    url: String,
}

/// A screen, as its app sees it.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct ShownScreen {
    /// The id.
    id: ScreenId,
    /// The photo that the screen shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<PhotoReference>,
    /// The address at which the screen opens one WebSocket within a minute.
    url: String,
}

impl Route for PutScreen {
    const NAME: &'static str = "put-screen";
    const ROUTE: &'static str = "PUT /users/{username}/screens/{id}";
    const SUMMARY: &'static str = "Makes a screen live, or says which photo it shows. The screen opens a WebSocket at the `url`, and is told \
         there what to read again. The 11th screen replaces the one that was not used for longest.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<ScreenId>, Body<Showing>);
    type Body = ShownScreen;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            connections: Connections::from_process(process)?,
            url: process.variable("LIVE_URL")?,
        })
    }

    async fn answer(
        &self,
        (Owner(caller), Path(id), Body(Showing { photo })): Self::Input,
    ) -> Result<Response<ShownScreen>, Error> {
        let Self { table, feed, connections, url } = self;
        let username = &caller.username;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        for _ in 0..MAX_ATTEMPTS {
            let mut screens = screens::get(feed, username).await?;
            let mut replaced = screens.make_room(&id);
            let old = screens.screens.remove(&id);
            let connection = old.as_ref().and_then(|old| old.connection.clone());
            let unused = old.as_ref().and_then(|old| old.valid_ticket().cloned());
            let ticket = unused.map_or_else(Ticket::random, Ok)?;
            let screen =
                Screen { ticket: Some(ticket.clone()), connection, photo: photo.clone(), used: Timestamp::now() };
            let watcher = photo.as_ref().map(|photo| screens::put_watcher(feed, photo, username, &id, screen.ttl()));
            screens.screens.insert(id.clone(), screen);

            let mut transaction = Transaction::new();
            let profile = transaction.condition_check(account.check_profile()?);
            transaction.put(screens::put(feed, username, screens)?);
            if let Some(watcher) = watcher {
                transaction.put(watcher?);
            }
            let mut ended: Vec<_> = replaced.iter().map(|(id, screen)| (id, screen.photo.as_ref())).collect();
            ended.push((&id, old.as_ref().and_then(|old| old.photo.as_ref())));
            // An expired screen is replaced, perhaps by itself with the same photo.
            ended.retain(|(ended, shown)| **ended != id || *shown != photo.as_ref());
            for (id, photo) in ended {
                if let Some(photo) = photo {
                    transaction.delete(screens::delete_watcher(feed, photo, username, id)?);
                }
            }
            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    replaced.retain(|(_, screen)| !screen.has_expired());
                    for connection in replaced.iter().filter_map(|(_, screen)| screen.connection.as_ref()) {
                        connections.close(connection).await;
                    }
                    let url = format!("{url}?user={username}&screen={id}&ticket={ticket}");
                    return answer::private(&ShownScreen { id, photo, url });
                }
                Outcome::ConditionFailed(failed) => account.require(&failed, profile)?,
            }
        }
        Err(Error::Busy("other requests changed the screens during each attempt".into()))
    }
}

/// The body: what a screen shows.
pub struct Showing {
    photo: Option<PhotoReference>,
}

impl FromFields for Showing {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let photo = fields.optional::<PhotoReference>("photo");
        fields.finish()?;
        Ok(Self { photo: photo? })
    }
}
