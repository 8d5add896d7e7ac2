//! - One `Query` on the inverted index reads the friendships. It does not read the user, so the
//!   list of an unknown user is empty.
//! - At the same time, a `GetItem` reads whether the user blocks the caller. If so, the list is
//!   empty.
//! - With `include`, one `BatchGetItem` replaces the `GetItem`. It reads the block, and the profiles
//!   of the users of the page, or the friendships between these users and the caller, or both. The
//!   page has at most as many users as one `BatchGetItem` has room for.
//! - If some of these profiles say that there are blocks, a second `BatchGetItem` reads the blocks
//!   between these users and the caller. A blocked pair gets no card.
//!
//! [`find_and_enrich_following`](crate::find_and_enrich_following) sends the same requests.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::{Relations, is_blocked};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Friendship, INVERTED_INDEX, Key, friend_sk, from_inverted_index};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{ListedUser, People, Signer};
use shared::values::{PageParts, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// A page of the users whom a user follows.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FollowedUsers {
    /// The followed users.
    following: Vec<ListedUser>,
    /// The cards of the followed users by username, without those who have been deleted, and
    /// without those who block the caller or whom the caller blocks. Empty without
    /// `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The route.
pub struct FindFollowing {
    table: Table,
    signer: Signer,
}

impl Route for FindFollowing {
    const NAME: &'static str = "find-following";
    const ROUTE: &'static str = "GET /users/{username}/following";
    const SUMMARY: &'static str = "Returns a page of the users whom a user follows.";

    type Input = (Path<Username>, Caller, Query<PageParts>, PageParameters);
    type Body = FollowedUsers;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Path(username), caller, Query(include), page): Self::Input,
    ) -> Result<Response<FollowedUsers>, Error> {
        let Self { table, signer } = self;
        let mut page: Page<Username> = page.of("following", &username)?;
        let following = Box::pin(read(table, &username, &caller.username, include, &mut page)).await?;
        let Some(following) = following else {
            return answer::ok(&FollowedUsers { following: vec![], people: People::new(), next_cursor: None });
        };
        let Following { mut users, found, relations, last_evaluated_key } = following;
        let people = if include.people { signer.cards_seen_by(&relations, &found)? } else { People::new() };
        if include.viewer {
            for user in &mut users {
                user.viewer = Some(relations.between(&user.username));
            }
        }
        let last = users.last().map(|user| user.username.clone());
        let next_cursor = page.next_cursor(last_evaluated_key, last)?;
        answer::ok(&FollowedUsers { following: users, people, next_cursor })
    }
}

/// A page of followed users, and what was read about them.
pub(crate) struct Following<'a> {
    /// The followed users of the page.
    pub(crate) users: Vec<ListedUser>,
    /// The items that the parts of the answer need, in any order and without those that do not
    /// exist.
    pub(crate) found: Vec<Item>,
    /// The relations of the caller to the followed users.
    pub(crate) relations: Relations<'a>,
    /// The key after which the list goes on. `None` at the end of the list.
    pub(crate) last_evaluated_key: Option<Item>,
}

/// Reads a page of the users whom `username` follows, with these parts, or returns `None` if
/// `username` blocks the caller. Lowers the limit of the page to the number of users for whom one
/// `BatchGetItem` has room.
pub(crate) async fn read<'a>(
    table: &Table,
    username: &Username,
    caller: &'a Username,
    parts: PageParts,
    page: &mut Page<Username>,
) -> Result<Option<Following<'a>>, Error> {
    page.limit = page.limit.min(parts.max_people(1));
    let has_parts = parts.people || parts.viewer;
    let is_blocked = async { if has_parts { Ok(false) } else { is_blocked(table, username, caller).await } };
    let query = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :friend")
        .expression_attribute_values(":friend", S(friend_sk(username)))
        .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(last, username).into()))
        .limit(page.limit)
        .send();
    let (output, is_blocked) = tokio::try_join!(async { Ok(query.await?) }, is_blocked)?;
    let friendships: Vec<Friendship> =
        entity::from_items(output.items.unwrap_or_default().into_iter().map(from_inverted_index).collect())?;
    let users: Vec<ListedUser> = friendships.into_iter().map(ListedUser::followed).collect();

    let names = users.iter().map(|user| &user.username);
    let found = batch::get(table, parts.keys_of_list(username, caller, names), false).await?;
    let mut relations = Relations::new(caller);
    relations.add(&found)?;
    if is_blocked || relations.is_blocked_by(username) {
        return Ok(None);
    }
    relations.read_blocks_of(table, &found).await?;
    Ok(Some(Following { users, found, relations, last_evaluated_key: output.last_evaluated_key }))
}
