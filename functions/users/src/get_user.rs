//! One `GetItem` reads the user. With `include=viewer`, one `BatchGetItem` reads the user, and the
//! friendships between the user and the caller in both directions.
//!
//! If the user blocks anybody, a `BatchGetItem` reads whether they block the caller, for whom there
//! is no such user then. With `include=viewer`, it also reads the caller's block if anybody blocks
//! the user, and the caller's request if the user approves followers and the caller does not follow
//! them.

use shared::access::Relations;
use shared::dynamodb::{Item, batch};
use shared::entities::{Key, Kind, existing_user};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::precondition::take_tag;
use shared::http::request::Caller;
use shared::show::{Profile, Signer};
use shared::values::{Username, ViewerParts};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetUser {
    table: Table,
    signer: Signer,
}

impl Route for GetUser {
    const NAME: &'static str = "get-user";
    const ROUTE: &'static str = "GET /users/{username}";
    const SUMMARY: &'static str = "Returns a user.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::NoUser];

    type Input = (Path<Username>, Caller, Query<ViewerParts>);
    type Body = Profile;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(&self, (Path(username), caller, Query(include)): Self::Input) -> Result<Response<Profile>, Error> {
        let Self { table, signer } = self;
        let mut relations = Relations::new(&caller.username);
        let mut user = if include.viewer {
            let friendships = Relations::friendships(&caller.username, &username);
            let keys = [Key::user(&username)].into_iter().chain(friendships).map(Item::from).collect();
            let mut items = batch::get(table, keys, false).await?;
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

        let tag = user.as_mut().map(take_tag).unwrap_or_default();
        let mut profile =
            signer.profile(existing_user(user, &username, &caller.username)?, &caller.username, &caller.subject);
        profile.viewer = include.viewer.then(|| relations.between(&username));
        let answer = answer::seen_by(&caller.username, &username, &profile)?;
        // Only the owner can make a write conditional on the tag.
        if caller.username == username { answer::tagged_with_hash(answer, &tag) } else { Ok(answer) }
    }
}
