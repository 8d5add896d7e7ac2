//! One `GetItem` reads the user. With `include=viewer`, one `BatchGetItem` reads the user, and the
//! friendships between the user and the caller in both directions. With `include=counts`, which only
//! the user may ask for, it reads the user and the [`Bell`].
//!
//! If the user blocks anybody, a `BatchGetItem` reads whether they block the caller, for whom there
//! is no such user then. With `include=viewer`, it also reads the caller's block if anybody blocks
//! the user, and the caller's request if the user approves followers and the caller does not follow
//! them.

use shared::access::Relations;
use shared::dynamodb::{batch, entity};
use shared::entities::account::refusal;
use shared::entities::{Bell, Key, Kind, existing_user};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::precondition::take_tag;
use shared::http::request::Caller;
use shared::show::{Counts, Profile, Signer};
use shared::values::{ProfileParts, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetUser {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for GetUser {
    const NAME: &'static str = "get-user";
    const ROUTE: &'static str = "GET /users/{username}";
    const SUMMARY: &'static str = "Returns a user.";
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NoProfile, ErrorKind::NoUser, ErrorKind::NotYours, ErrorKind::OtherAccount];

    type Input = (Path<Username>, Caller, Query<ProfileParts>);
    type Body = Profile;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(&self, (Path(username), caller, Query(include)): Self::Input) -> Result<Response<Profile>, Error> {
        let Self { table, feed, signer } = self;
        if include.counts {
            caller.must_be(&username)?;
        }
        let mut relations = Relations::new(&caller.username);
        let mut bell = None;
        let mut user = if include.viewer || include.counts {
            let friendships = if include.viewer { Relations::friendships(&caller.username, &username) } else { vec![] };
            let keys = [Key::user(&username)].into_iter().chain(friendships).collect();
            let keys_of_feed = include.counts.then(|| Key::seen(&username)).into_iter().collect();
            let [mut items, bells] = batch::get_from_tables([(table, keys), (feed, keys_of_feed)], false).await?;
            bell = bells.into_iter().next();
            relations.add(&items)?;
            items.drain(..).find(|item| Kind::User.is_of(item))
        } else {
            let get = table.client.get_item().table_name(&table.name).set_key(Some(Key::user(&username).into()));
            get.send().await?.item
        };
        if let Some(user) = &user {
            let mut keys = relations.deciding(&username, user, &[]);
            if include.viewer {
                keys.extend(relations.block_and_request(&username, user));
            }
            relations.read(table, keys).await?;
        }
        if relations.is_blocked_by(&username) {
            return Err(Error::no_user(&username));
        }

        let counts = match &user {
            Some(user) if include.counts => {
                if let Some(refusal) = refusal(Some(user), &username, &caller.subject) {
                    return Err(refusal);
                }
                let bell: Bell = bell.map(entity::from_item).transpose()?.unwrap_or_default();
                Some(Counts::new(user, &bell))
            }
            _ => None,
        };
        let tag = user.as_mut().map(take_tag).unwrap_or_default();
        let mut profile =
            signer.profile(existing_user(user, &username, &caller.username)?, &caller.username, &caller.subject);
        profile.counts = counts;
        profile.viewer = include.viewer.then(|| relations.between(&username));
        let answer = answer::seen_by(&caller.username, &username, &profile)?;
        // Only the owner can make a write conditional on the tag.
        if caller.username == username { answer::tagged_with_hash(answer, &tag) } else { Ok(answer) }
    }
}
