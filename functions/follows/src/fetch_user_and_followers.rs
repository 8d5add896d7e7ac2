//! One `Query` reads both in descending order: the user's item first, and then the friendships,
//! which sort before it.
//!
//! If the user blocks anybody, a `BatchGetItem` reads the user's block of the caller. On a page
//! after the first one, which does not read the user, a `GetItem` at the same time as the `Query`
//! reads it. For somebody whom the user blocks, there is no such user.
//!
//! With `include`, one `BatchGetItem` reads the profiles of the followers of the page, or the
//! friendships between them and the caller, or both. The page then has at most as many followers as
//! one such request has room for. If some of these profiles say that there are blocks, another one
//! reads those between them and the caller, who does not get the cards of people who block them or
//! whom they block.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::{Relations, is_blocked};
use shared::dynamodb::{batch, entity};
use shared::entities::{FRIEND_PREFIX, Friendship, Key, existing_user, metadata_sk, user_pk};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{ListedUser, People, Profile, Signer};
use shared::values::{PageParts, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// A page of the followers of a user.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserAndFollowers {
    /// The user. Only the first page has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Profile>,
    /// The followers.
    followers: Vec<ListedUser>,
    /// The cards of the followers by username, without those who have been deleted, and without
    /// those who block the caller or whom the caller blocks. Empty without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The route.
pub struct FetchUserAndFollowers {
    table: Table,
    signer: Signer,
}

impl Route for FetchUserAndFollowers {
    const NAME: &'static str = "fetch-user-and-followers";
    const ROUTE: &'static str = "GET /users/{username}/followers";
    const SUMMARY: &'static str = "Returns a user and a page of their followers.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoProfile, ErrorKind::NoUser];

    type Input = (Path<Username>, Caller, Query<PageParts>, PageParameters);
    type Body = UserAndFollowers;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")?, signer: Signer::from_process(process)? })
    }

    async fn answer(
        &self,
        (Path(username), caller, Query(include), page): Self::Input,
    ) -> Result<Response<UserAndFollowers>, Error> {
        let Self { table, signer } = self;
        let mut page: Page<Username> = page.of("followers", &username)?;
        page.limit = page.limit.min(include.max_people(0));
        let is_first_page = page.after.is_none();

        let query = table
            .client
            .query()
            .table_name(&table.name)
            .key_condition_expression("PK = :user AND SK BETWEEN :friends_begin AND :metadata")
            .expression_attribute_values(":user", S(user_pk(&username)))
            .expression_attribute_values(":friends_begin", S(FRIEND_PREFIX.to_owned()))
            .expression_attribute_values(":metadata", S(metadata_sk(&username)))
            .scan_index_forward(false)
            .set_exclusive_start_key(page.after.as_ref().map(|last| Key::friendship(&username, last).into()))
            .limit(page.limit + i32::from(is_first_page))
            .send();
        // On the first page, the item of the user tells whether there is any block to look for.
        let is_blocked =
            async { if is_first_page { Ok(false) } else { is_blocked(table, &username, &caller.username).await } };
        let (output, is_blocked) = tokio::try_join!(async { Ok(query.await?) }, is_blocked)?;

        let mut items = output.items.unwrap_or_default();
        let user = (is_first_page && !items.is_empty()).then(|| items.remove(0));
        let mut relations = Relations::new(&caller.username);
        if let Some(user) = &user {
            relations.read(table, relations.deciding(&username, user, &[])).await?;
        }
        if is_blocked || relations.is_blocked_by(&username) {
            return Err(Error::no_user(&username));
        }
        let user = if is_first_page {
            Some(signer.profile(existing_user(user, &username, &caller.username)?, &caller.username, &caller.subject))
        } else {
            None
        };
        let followers: Vec<Friendship> = entity::from_items(items)?;
        let mut followers: Vec<ListedUser> = followers.into_iter().map(ListedUser::follower).collect();
        let names = followers.iter().map(|follower| &follower.username);
        let found = batch::get(table, include.keys(&caller.username, names), false).await?;
        relations.read_blocks_of(table, &found).await?;
        let people = if include.people { signer.cards_seen_by(&relations, &found)? } else { People::new() };
        if include.viewer {
            relations.add(&found)?;
            for follower in &mut followers {
                follower.viewer = Some(relations.between(&follower.username));
            }
        }
        let last = followers.last().map(|follower| follower.username.clone());
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::seen_by(&caller.username, &username, &UserAndFollowers { user, followers, people, next_cursor })
    }
}
