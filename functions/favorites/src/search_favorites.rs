//! One consistent `BatchGetItem` of the reservations of tag names finds the ids of the query's
//! tags. Each word, tag and type of the query has a list of its favorites: a partition of the table
//! or of an index. All lists are in the order of the clip time. The function reads a page of each
//! list by one `Query`, and so finds the list with the fewest favorites. It reads further pages of
//! this list only, and checks its favorites against the query by `BatchGetItem`. So a search costs
//! as much as what it finds, or, if the query has several words, tags and types, as the smallest of
//! their lists. The number of the caller's other favorites makes no difference.
//!
//! index-favorite writes the lists of words about a second after the favorites. So the favorite
//! itself, and not the list, decides whether it matches. The list of a type has the favorites as
//! they are, and needs no `BatchGetItem`.
//!
//! If favorites of the page refer to photos of the app, one `BatchGetItem` reads these.

use std::cmp::Reverse;

use futures_util::future::try_join_all;
use shared::dynamodb::{Item, batch};
use shared::entities::{ClipPosition, Key};
use shared::http::answer;
use shared::http::extract::{Owner, Query, RequiredQuery};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::search::Query as SearchQuery;
use shared::show::{Favorites, PhotoTables, Signer};
use shared::values::{PhotosParts, TagId, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

use list::{List, Part};
use search::Search;

mod list;
mod search;
#[cfg(test)]
mod tests;

/// The maximum number of lists that are compared. If a query has more words, the longest are
/// compared, whose lists are mostly the smallest.
const MAX_LISTS: usize = 8;

/// The route.
pub struct SearchFavorites {
    table: Table,
    tables: PhotoTables,
    signer: Signer,
}

impl Route for SearchFavorites {
    const NAME: &'static str = "search-favorites";
    const ROUTE: &'static str = "GET /users/{username}/favorites/search";
    const SUMMARY: &'static str = "Lists the caller's favorites that match a query, newest first.";

    type Input = (Owner, Query<PhotosParts>, RequiredQuery<SearchQuery>, PageParameters);
    type Body = Favorites;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            tables: PhotoTables::from_process(process)?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Query(include), RequiredQuery(query), page): Self::Input,
    ) -> Result<Response<Favorites>, Error> {
        let Self { table, tables, signer } = self;
        let page: Page<ClipPosition> = page.of("search", format_args!("{username} {query}"))?;

        let tag_ids = tag_ids(table, &username, &query).await?;
        // No favorite has a tag that does not exist, or two types.
        let Some(tag_ids) = tag_ids.filter(|_| query.types.len() <= 1) else {
            return answer::private(&Favorites::default());
        };
        let lists = lists(&query, &tag_ids);
        let reads = lists.iter().map(|list| list.read(table, &username, page.after.as_ref(), page.limit));
        let parts: Vec<Part> = try_join_all(reads).await?;
        let (smallest_list, part) = smallest(&lists, parts)?;

        let other_tag_ids = tag_ids.into_iter().filter(|tag_id| smallest_list.tag_id() != Some(tag_id)).collect();
        let search = Search { table, username: &username, query: &query, list: smallest_list, other_tag_ids };
        let (favorites, last) = search.matches_from(part, page.limit).await?;
        let next_cursor = page.cursor(last)?;
        answer::private(&signer.show_favorites(tables, favorites, &username, include, next_cursor).await?)
    }
}

/// Returns the tags that the query names, by one `BatchGetItem` of their names' reservations, or
/// `None` if the user has no tag of one of these names. The read is consistent, so that the name of
/// a deleted tag finds nothing.
async fn tag_ids(table: &Table, username: &Username, query: &SearchQuery) -> Result<Option<Vec<TagId>>, Error> {
    let keys = query.tags.iter().map(|name| Key::tag_name_reservation(username, name)).collect();
    let reservations = batch::get(table, keys, true).await?;
    if reservations.len() < query.tags.len() {
        return Ok(None);
    }
    let tag_id = |item: &Item| item.get("tagId").and_then(|id| id.as_s().ok()?.parse().ok());
    let tag_ids: Option<Vec<TagId>> = reservations.iter().map(tag_id).collect();
    tag_ids.map(Some).ok_or_else(|| Error::internal(format!("a tag name reservation of {username} has no tag")))
}

/// Returns the lists to compare, each of which contains all favorites that match the query.
fn lists(query: &SearchQuery, tag_ids: &[TagId]) -> Vec<List> {
    let data_type = query.types.first().copied();
    let of_tags = tag_ids.iter().cloned().map(|tag_id| match data_type {
        Some(data_type) => List::TagAndType(tag_id, data_type),
        None => List::Tag(tag_id),
    });
    let mut terms: Vec<String> = query.terms().into_iter().collect();
    terms.sort_by_key(|term| Reverse(term.len()));
    let of_type = data_type.map(List::Type).filter(|_| tag_ids.is_empty());
    of_tags.chain(of_type).chain(terms.into_iter().map(List::Term)).take(MAX_LISTS).collect()
}

/// Returns the list with the fewest favorites, and its part: the one that ends within its part, or
/// else the one whose part reaches back the farthest.
fn smallest(lists: &[List], parts: Vec<Part>) -> Result<(&List, Part), Error> {
    let size = |part: &Part| {
        let last = part.last_position().filter(|_| part.has_more);
        (part.has_more, last, part.entries.len())
    };
    lists
        .iter()
        .zip(parts)
        .min_by_key(|(_, part)| size(part))
        .ok_or_else(|| Error::internal("the query has no words, tags or types"))
}
