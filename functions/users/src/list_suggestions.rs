//! The requests:
//!
//! - A `Query` of `<stage>.Feed` reads a page of the list of everybody in the directory, in which
//!   the people with the most followers in powers of ten come first.
//! - One `BatchGetItem` of `quick-photos` reads these people, the caller, and the caller's
//!   friendships with them; with `include=viewer` also those in the other direction.
//! - One reads the caller's requests to those of them who approve followers and whom the caller does
//!   not follow. If the caller blocks or mutes anybody, or anybody blocks the caller, one reads the
//!   blocks between them.
//!
//! The list leaves out the caller, and those whom the caller follows, has asked, blocks or mutes, and
//! who block the caller. If a page is not full then, more people are read, up to [`MAX_ROUNDS`]
//! times in total. So a page can be short although the list goes on.

use std::collections::{BTreeSet, HashSet};

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::access::Relations;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{EVERYBODY, Key, Listing, MUTES, directory_pk, has_any, has_blocks};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{Page, PageParameters};
use shared::show::{People, Signer};
use shared::values::{Username, ViewerParts};
use shared::{Error, Process, Response, Route, StartError, Table};

use crate::search_people::{FoundPeople, FoundUser, approving_users};

#[cfg(test)]
mod tests;

/// The maximum number of times that people are read for one page.
const MAX_ROUNDS: usize = 4;

/// The route.
pub struct ListSuggestions {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for ListSuggestions {
    const NAME: &'static str = "list-suggestions";
    const ROUTE: &'static str = "GET /users/{username}/suggestions";
    const SUMMARY: &'static str =
        "Returns a page of people whom the caller may want to follow, the most popular first.";

    type Input = (Owner, Query<ViewerParts>, PageParameters);
    type Body = FoundPeople;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(&self, (Owner(caller), Query(include), page): Self::Input) -> Result<Response<FoundPeople>, Error> {
        let Self { table, feed, signer } = self;
        let username = &caller.username;
        let mut page: Page<Listing> = page.of("suggestions", username)?;
        let keys_of_person = 2 + usize::from(include.viewer);
        let max = (batch::MAX_GET_KEYS - 1) / keys_of_person;
        page.limit = page.limit.min(i32::try_from(max).map_err(Error::internal)?);
        let limit = usize::try_from(page.limit).map_err(Error::internal)?;

        let mut start = page.after.take();
        let (mut users, mut people, mut has_more) = (vec![], People::new(), true);
        let mut relations = Relations::new(username);
        // A user whose entries are being written may be in the list twice.
        let mut usernames = HashSet::from([username.clone()]);
        for _ in 0..MAX_ROUNDS {
            let (read, is_cut) = read_directory(feed, start.as_ref(), page.limit).await?;
            has_more = is_cut;
            let names = read.iter().map(|listing| &listing.username).filter(|name| !usernames.contains(*name));
            let candidates = read_candidates(table, &mut relations, names.collect(), include).await?;
            let mut cards = signer.cards(&candidates)?;
            for listing in read {
                if users.len() == limit {
                    has_more = true;
                    break;
                }
                let name = listing.username.clone();
                if usernames.insert(name.clone())
                    && relations.may_be_suggested(&name)
                    && let Some(card) = cards.remove(&name)
                {
                    let viewer = include.viewer.then(|| relations.between(&name));
                    people.insert(name.clone(), card);
                    users.push(FoundUser { username: name, viewer });
                }
                start = Some(listing);
            }
            if users.len() == limit || !has_more {
                break;
            }
        }
        let next_cursor = page.cursor(start.filter(|_| has_more))?;
        answer::private(&FoundPeople { users, people, next_cursor })
    }
}

/// Returns the listings of everybody after `start`, and whether there are more.
async fn read_directory(feed: &Table, start: Option<&Listing>, limit: i32) -> Result<(Vec<Listing>, bool), Error> {
    let output = feed
        .client
        .query()
        .table_name(&feed.name)
        .key_condition_expression("pk = :list")
        .expression_attribute_values(":list", S(directory_pk(EVERYBODY)))
        .set_exclusive_start_key(start.map(|start| start.key(EVERYBODY).into()))
        .limit(limit)
        .send()
        .await?;
    Ok((entity::from_items(output.items.unwrap_or_default())?, output.last_evaluated_key.is_some()))
}

/// Reads people, and what is between them and the caller. Returns the items of the people.
async fn read_candidates(
    table: &Table,
    relations: &mut Relations<'_>,
    names: BTreeSet<&Username>,
    include: ViewerParts,
) -> Result<Vec<Item>, Error> {
    if names.is_empty() {
        return Ok(vec![]);
    }
    let caller = relations.caller();
    let own = Key::user(caller);
    let of_people = names.iter().flat_map(|name| {
        let follows_caller = include.viewer.then(|| Key::friendship(caller, name));
        [Key::user(name), Key::friendship(name, caller)].into_iter().chain(follows_caller)
    });
    let keys = of_people.chain([own.clone()]).collect();
    let mut items = batch::get(table, keys, false).await?;
    relations.add(&items)?;
    if batch::take(&mut items, own).is_some_and(|caller| has_blocks(&caller) || has_any(&caller, MUTES)) {
        relations.read_blocks(table, names).await?;
    }
    relations.read_requests(table, &approving_users(&items)?).await?;
    Ok(items)
}
