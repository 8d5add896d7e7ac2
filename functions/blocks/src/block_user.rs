//! A consistent `BatchGetItem` reads what is between the two: a block or mute of before, the
//! friendships and the requests to follow in both directions, a block by the other user, who then
//! does not exist for the caller, and both users. Then one `TransactWriteItems` puts the block and
//! changes the counts of both users. A block deletes the friendships and requests, with their
//! counts. A mute marks the caller's friendship with the other user, so that the caller's feed
//! leaves out their photos.
//!
//! The conditions of the transaction say that everything is still as it was read. If one of them
//! fails, the function reads again. A repeated request changes nothing, and returns the block.

use crate::other::Other;
use shared::dynamodb::transaction::Outcome;
use shared::entities::account::refusal;
use shared::entities::{Block, MAX_BLOCKS, count_of_level};
use shared::http::answer;
use shared::http::extract::{Body, FromFields, Owner};
use shared::http::fields::Fields;
use shared::show::ListedBlock;
use shared::values::{Level, Timestamp};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use self::snapshot::Snapshot;

mod snapshot;
#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. More than one are needed only if one of the
/// two users follows, unfollows, asks or blocks the other, or any count of theirs begins or ends,
/// between the read and the write.
const MAX_ATTEMPTS: usize = 8;

/// The route.
pub struct BlockUser {
    table: Table,
}

impl Route for BlockUser {
    const NAME: &'static str = "block-user";
    const ROUTE: &'static str = "PUT /users/{username}/blocks/{other}";
    const SUMMARY: &'static str = "The caller blocks or mutes another user, who is not told.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoProfile,
        ErrorKind::NoUser,
        ErrorKind::OtherAccount,
        ErrorKind::TooManyBlocks,
        ErrorKind::TooManyMutes,
    ];

    type Input = (Owner, Other, Body<NewLevel>);
    type Body = ListedBlock;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(caller), Other(other), Body(NewLevel(level))): Self::Input,
    ) -> Result<Response<ListedBlock>, Error> {
        let Self { table } = self;
        let username = &caller.username;
        if other == *username {
            return Err(Error::invalid("other", "must be another user, because users cannot block themselves"));
        }

        for _ in 0..MAX_ATTEMPTS {
            let snapshot = Snapshot::read(table, username, &other).await?;
            if let Some(refusal) = refusal(snapshot.user.as_ref(), username, &caller.subject) {
                return Err(refusal);
            }
            let exists = snapshot.other.as_ref().is_some_and(|other| other.contains_key("username"));
            if !exists || (snapshot.is_blocked && snapshot.block.is_none()) {
                return Err(Error::no_user(&other));
            }
            if let Some(existing) = &snapshot.block
                && existing.level == level
            {
                return answer::ok(&ListedBlock::from(existing.clone()));
            }
            if snapshot.count(level) >= MAX_BLOCKS {
                return Err(too_many(level));
            }
            let block = Block {
                blocking_user: username.clone(),
                blocked_user: other.clone(),
                level,
                timestamp: Timestamp::now(),
            };
            let transaction = snapshot.transaction(table, &block, &caller.subject)?;
            if let Outcome::Committed = transaction.write(&table.client).await? {
                let listed = ListedBlock::from(block);
                return if snapshot.block.is_some() { answer::ok(&listed) } else { answer::created(&listed) };
            }
        }
        Err(Error::Busy("what is between the two users changed during each attempt to block".into()))
    }
}

fn too_many(level: Level) -> Error {
    let (kind, verb) = match level {
        Level::Block => (ErrorKind::TooManyBlocks, "blocked"),
        Level::Mute => (ErrorKind::TooManyMutes, "muted"),
    };
    let count = count_of_level(level);
    let detail =
        format!("You have reached the maximum of {MAX_BLOCKS} {verb} users. Remove one of your {count} first.");
    Error::refused(kind, detail)
}

/// The level of the block.
pub struct NewLevel(Level);

impl FromFields for NewLevel {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        let level = fields.required("level");
        fields.finish()?;
        level.map(Self)
    }
}
