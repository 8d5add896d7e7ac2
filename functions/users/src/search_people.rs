//! The requests:
//!
//! - A `Query` of `<stage>.Feed` reads a page of the list of the directory that belongs to the
//!   longest word of the query, which may be one letter. The list is in the order of the answer: the people with the most
//!   followers in powers of ten first, then by name. If the query has further letters or words,
//!   they are compared with the entries, and a page reads up to 4 times 250 of them.
//! - One `BatchGetItem` of `quick-photos` reads the people found, and on the first page the user
//!   whose username is the query, who comes first. With `include=viewer` it also reads the
//!   friendships between them and the caller, and another one the caller's requests to those who
//!   approve followers. Another one reads the blocks between the caller and those of the people who
//!   block anybody or whom anybody blocks: neither of two users finds the other one then.
//!
//! process-changes writes the directory about a second after the users. So a page shows only those
//! who exist and whom the query still finds, and it can be shorter than `limit`.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::Serialize;
use shared::access::{Relation, Relations};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Listing, PeopleQuery, approves_followers, directory_pk, username_from_item};
use shared::http::answer;
use shared::http::extract::{Query, RequiredQuery};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{People, Signer};
use shared::values::{PageParts, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of requests in which a page reads the directory.
const MAX_ROUNDS: usize = 4;
/// The number of entries that such a request reads if the query does not find the whole list.
const ENTRIES_OF_ROUND: i32 = 250;

/// A page of the people whom a query finds.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundPeople {
    /// The users.
    pub(crate) users: Vec<FoundUser>,
    /// The cards of the users by username. They come without `include=people` too.
    pub(crate) people: People,
    pub(crate) next_cursor: Option<String>,
}

/// A user whom a query finds.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct FoundUser {
    /// The user.
    pub(crate) username: Username,
    /// The relation of the caller and the user. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) viewer: Option<Relation>,
}

/// The route.
pub struct SearchPeople {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for SearchPeople {
    const NAME: &'static str = "search-people";
    const ROUTE: &'static str = "GET /users";
    const SUMMARY: &'static str = "Finds people by the beginning of their username or of the words of their name.";

    type Input = (Caller, RequiredQuery<PeopleQuery>, Query<PageParts>, PageParameters);
    type Body = FoundPeople;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (caller, RequiredQuery(wanted), Query(include), page): Self::Input,
    ) -> Result<Response<FoundPeople>, Error> {
        let Self { table, feed, signer } = self;
        let parts = PageParts { people: true, viewer: include.viewer };
        // A page that follows another one begins after a listing, or at the first one if the other page
        // has only the user whose username is the query.
        let mut page: Page<Option<Listing>> = page.of("people", &wanted)?;
        let exact = wanted.username().filter(|_| page.after.is_none());
        let start = page.after.take().flatten();

        let limit = page.limit.min(parts.max_people(0) - i32::from(exact.is_some()));
        let (mut found, end) = read_directory(feed, &wanted, start, usize::try_from(limit).unwrap_or_default()).await?;
        let mut next = end.map(Some);
        let names = exact.iter().chain(found.iter().map(|listing| &listing.username));
        let items = batch::get(table, parts.keys(&caller.username, names), false).await?;
        let mut relations = Relations::new(&caller.username);
        relations.add(&items)?;
        relations.read_blocks_of(table, &items).await?;
        let mut people = signer.cards_seen_by(&relations, &items)?;
        if include.viewer {
            let approving = approving_users(&items)?;
            relations.read_requests(table, &approving).await?;
        }

        let exact = exact.filter(|username| people.contains_key(username));
        if exact.is_some() && usize::try_from(page.limit) == Ok(found.len()) {
            found.pop();
            next = Some(found.last().cloned());
        }
        let names = exact.into_iter().chain(found.into_iter().map(|listing| listing.username));
        let is_found = |username: &Username| {
            let card = people.get(username);
            card.is_some_and(|card| wanted.matches(&Listing::new(username, &card.name, 0)))
        };
        let users = names.filter(is_found).map(|username| {
            let viewer = include.viewer.then(|| relations.between(&username));
            FoundUser { username, viewer }
        });
        let users: Vec<FoundUser> = users.collect();
        people.retain(|person, _| users.iter().any(|user| user.username == *person));
        answer::ok(&FoundPeople { users, people, next_cursor: page.cursor(next)? })
    }
}

/// Returns the users among items who approve followers.
pub(crate) fn approving_users(items: &[Item]) -> Result<Vec<Username>, Error> {
    let users = items.iter().filter(|item| approves_followers(item));
    users.filter_map(|item| username_from_item(item).transpose()).collect()
}

/// Returns the listings after `start` that the query finds, at most `limit`, without the user whose
/// username is the query. Also returns the listing after which the list goes on, or `None` at its
/// end.
async fn read_directory(
    feed: &Table,
    query: &PeopleQuery,
    mut start: Option<Listing>,
    limit: usize,
) -> Result<(Vec<Listing>, Option<Listing>), Error> {
    // A user whose entries are being written may be in the list twice.
    let (mut found, mut usernames) = (vec![], HashSet::<Username>::from_iter(query.username()));
    for _ in 0..MAX_ROUNDS {
        let entries = if query.finds_whole_list() {
            // One that tells whether the list goes on, and one that may be left out.
            i32::try_from(limit - found.len() + 1 + usize::from(query.username().is_some())).map_err(Error::internal)?
        } else {
            ENTRIES_OF_ROUND
        };
        let output = feed
            .client
            .query()
            .table_name(&feed.name)
            .key_condition_expression("pk = :list")
            .expression_attribute_values(":list", S(directory_pk(query.list())))
            .set_exclusive_start_key(start.as_ref().map(|start| start.key(query.list()).into()))
            .limit(entries)
            .send()
            .await?;
        for item in output.items.unwrap_or_default() {
            let listing: Listing = entity::from_item(item)?;
            if query.matches(&listing) && !usernames.contains(&listing.username) {
                if found.len() == limit {
                    return Ok((found, start));
                }
                usernames.insert(listing.username.clone());
                found.push(listing.clone());
            }
            start = Some(listing);
        }
        if output.last_evaluated_key.is_none() {
            return Ok((found, None));
        }
        if found.len() == limit {
            break;
        }
    }
    Ok((found, start))
}
