//! Like [`find_following`] with `include=people`, with a whole profile in each entry:
//!
//! - One `Query` on the inverted index reads the friendships.
//! - One `BatchGetItem` reads the followed users, and whether the user blocks the caller. If so, the
//!   list is empty. With `include=viewer`, it also reads the friendships between the followed users
//!   and the caller.
//! - If some of the followed users say that there are blocks, a second `BatchGetItem` reads the
//!   blocks between these users and the caller. The list leaves out blocked pairs.
//!
//! A page ends early if its JSON would be too large for the response of a function.

use std::collections::HashMap;

use serde::Serialize;
use shared::entities::{self, User};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters, within_budget};
use shared::http::request::Caller;
use shared::show::{People, Profile, Signer};
use shared::values::{PageParts, Time, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::find_following::{self, Following};

#[cfg(test)]
mod tests;

/// A page of the profiles of the users whom a user follows.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Profiles {
    /// The followed users.
    following: Vec<FollowedProfile>,
    /// The cards of the followed users by username, like those of other lists. Empty without
    /// `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The profile of a followed user in a list of users.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct FollowedProfile {
    /// The time since which the user is followed.
    timestamp: Time,
    #[serde(flatten)]
    profile: Profile,
}

/// The route.
pub struct FindAndEnrichFollowing {
    table: Table,
    signer: Signer,
}

impl Route for FindAndEnrichFollowing {
    const NAME: &'static str = "find-and-enrich-following";
    const ROUTE: &'static str = "GET /users/{username}/following/profiles";
    const SUMMARY: &'static str = "Returns a page of the profiles of the users whom a user follows.";

    type Input = (Path<Username>, Caller, Query<PageParts>, PageParameters);
    type Body = Profiles;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Path(username), caller, Query(include), page): Self::Input,
    ) -> Result<Response<Profiles>, Error> {
        let Self { table, signer } = self;
        let parts = PageParts { people: true, viewer: include.viewer };
        let mut page: Page<Username> = page.of("profiles", &username)?;
        let following = Box::pin(find_following::read(table, &username, &caller.username, parts, &mut page)).await?;
        let Some(Following { users: followed, found, relations, last_evaluated_key }) = following else {
            return answer::ok(&Profiles { following: vec![], people: People::new(), next_cursor: None });
        };
        let mut people = if include.people { signer.cards_seen_by(&relations, &found)? } else { People::new() };
        let found: Vec<Option<User>> = found.into_iter().map(entities::user_from_item).collect::<Result<_, _>>()?;
        let mut users: HashMap<Username, User> =
            found.into_iter().flatten().map(|user| (user.username.clone(), user)).collect();

        let last = followed.last().map(|user| user.username.clone());
        // `BatchGetItem` returns the users in any order, without those who have been deleted.
        let seen = followed.into_iter().filter(|user| !relations.hides(&user.username));
        let users: Vec<(User, Time)> =
            seen.filter_map(|seen| Some((users.remove(&seen.username)?, seen.timestamp))).collect();
        let names: Vec<Username> = users.iter().map(|(user, _)| user.username.clone()).collect();
        let following = within_budget(users.into_iter().map(|(user, timestamp)| {
            let relation = include.viewer.then(|| relations.between(&user.username));
            let mut profile = signer.profile(user, &caller.username, &caller.subject);
            profile.viewer = relation;
            Ok(FollowedProfile { timestamp, profile })
        }))?;
        people.retain(|user, _| names[..following.len()].contains(user));

        let next_cursor = if following.len() < names.len() {
            page.cursor(names[..following.len()].last().cloned())?
        } else {
            page.next_cursor(last_evaluated_key, last)?
        };
        // Some old friendships are of a user with themself, whose profile has private fields here.
        if names.contains(&caller.username) {
            return answer::private(&Profiles { following, people, next_cursor });
        }
        answer::ok(&Profiles { following, people, next_cursor })
    }
}
