//! One `Query` on the inverted index reads the friendships, and one `BatchGetItem` reads the
//! followed users, and whether the user blocks the caller, for whom the list is empty then. If some
//! of the followed users say that there are blocks, another one reads those between them and the
//! caller: the list leaves out people who block the caller or whom the caller blocks. A page ends
//! early if its JSON would be too large for the response of a function.
//!
//! With `include=viewer`, the `BatchGetItem` also reads the friendships between the followed users
//! and the caller. The page then has at most as many users as one such request has room for.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::Relations;
use shared::dynamodb::{batch, entity};
use shared::entities::{self, INVERTED_INDEX, Key, User, friend_sk};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters, within_budget};
use shared::http::request::Caller;
use shared::show::{Profile, Signer};
use shared::values::{PageParts, Username, ViewerParts};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The body of the answer.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Profiles {
    following: Vec<Profile>,
    next_cursor: Option<String>,
}

/// A friendship, as the follower sees it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Followed {
    followed_user: Username,
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

    type Input = (Path<Username>, Caller, Query<ViewerParts>, PageParameters);
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
        page.limit = page.limit.min(parts.max_people(1));

        let output = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(INVERTED_INDEX)
            .key_condition_expression("SK = :friend")
            .expression_attribute_values(":friend", S(friend_sk(&username)))
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(last, &username).into()))
            .limit(page.limit)
            .send()
            .await?;
        let followed: Vec<Followed> = entity::from_items(output.items.unwrap_or_default())?;

        let names = followed.iter().map(|friendship| &friendship.followed_user);
        let keys = parts.keys_of_list(&username, &caller.username, names);
        let found = batch::get(table, keys, false).await?;
        let mut relations = Relations::new(&caller.username);
        relations.add(&found)?;
        if relations.is_blocked_by(&username) {
            return answer::ok(&Profiles { following: vec![], next_cursor: None });
        }
        relations.read_blocks_of(table, &found).await?;
        let found: Vec<Option<User>> = found.into_iter().map(entities::user_from_item).collect::<Result<_, _>>()?;
        let mut users: HashMap<Username, User> =
            found.into_iter().flatten().map(|user| (user.username.clone(), user)).collect();

        // `BatchGetItem` returns the users in any order, without those who have been deleted.
        let names = followed.iter().map(|friendship| &friendship.followed_user).filter(|user| !relations.hides(user));
        let users: Vec<User> = names.filter_map(|name| users.remove(name)).collect();
        let names: Vec<Username> = users.iter().map(|user| user.username.clone()).collect();
        let following = within_budget(users.into_iter().map(|user| {
            let relation = include.viewer.then(|| relations.between(&user.username));
            let mut profile = signer.profile(user, &caller.username, &caller.subject);
            profile.viewer = relation;
            Ok(profile)
        }))?;

        let next_cursor = if following.len() < names.len() {
            page.cursor(names[..following.len()].last().cloned())?
        } else {
            let last = followed.last().map(|friendship| friendship.followed_user.clone());
            page.next_cursor(output.last_evaluated_key, last)?
        };
        // Some old friendships are of a user with themself, whose profile has private fields here.
        if names.contains(&caller.username) {
            return answer::private(&Profiles { following, next_cursor });
        }
        answer::ok(&Profiles { following, next_cursor })
    }
}
