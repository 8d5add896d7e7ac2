//! A consistent `GetItem` reads the screens of the caller. One `TransactWriteItems` puts them without
//! the screen, deletes its watcher, and checks that the caller's profile is of the caller's account. It
//! has the condition that nobody has changed the screens since. Then the connection is closed. If there
//! is no such screen, the profile is checked alone.

use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::account::Account;
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::values::ScreenId;
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use crate::connections::Connections;
use crate::screens;

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of transactions. More than one are needed only if other
/// requests change the screens meanwhile.
const MAX_ATTEMPTS: usize = 5;

/// The route.
pub struct DeleteScreen {
    table: Table,
    feed: Table,
    connections: Connections,
}

impl Route for DeleteScreen {
    const NAME: &'static str = "delete-screen";
    const ROUTE: &'static str = "DELETE /users/{username}/screens/{id}";
    const SUMMARY: &'static str =
        "Ends a live screen and its WebSocket. An app sends this request when its user signs out.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("The screen is told nothing any more.")];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::OtherAccount];

    type Input = (Owner, Path<ScreenId>);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            connections: Connections::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), Path(id)): Self::Input) -> Result<Response<()>, Error> {
        let Self { table, feed, connections } = self;
        let username = &caller.username;
        let account = Account { table_name: &table.name, username, subject: &caller.subject };
        for _ in 0..MAX_ATTEMPTS {
            let mut screens = screens::get(feed, username).await?;
            let removed = screens.screens.remove(&id);
            let mut transaction = Transaction::new();
            let profile = transaction.condition_check(account.check_profile()?);
            if let Some(removed) = &removed {
                transaction.put(screens::put(feed, username, screens)?);
                if let Some(photo) = &removed.photo {
                    transaction.delete(screens::delete_watcher(feed, photo, username, &id)?);
                }
            }
            match transaction.write(&table.client).await? {
                Outcome::Committed => {
                    if let Some(connection) = removed.and_then(|removed| removed.connection) {
                        connections.close(&connection).await;
                    }
                    return Ok(answer::no_content());
                }
                Outcome::ConditionFailed(failed) => account.require(&failed, profile)?,
            }
        }
        Err(Error::Busy("other requests changed the screens during each attempt".into()))
    }
}
