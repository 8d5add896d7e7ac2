//! `GET /users/{username}/favorites/search?q=`: the caller's favorites that a query finds, newest first.
//!
//! Every word, tag and type of the query has a list of its favorites, a partition of the table or of an index, and all of
//! these lie in the same order. One `Query` for a page of each list tells which is the sparsest; that one alone is read
//! on, and a `BatchGetItem` of the favorites in it tells which are wanted. So a search costs as much as what it finds,
//! or where several lists are asked for at once, as the sparsest of them; how many favorites there are else makes no
//! difference.
//!
//! index-favorite keeps the words' lists, a moment behind the favorites. So what they say is checked against the favorite
//! itself. The list of a type has the favorites as they are, and needs no `BatchGetItem`.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue::S;
use futures_util::future::try_join_all;
use shared::dynamodb::Item;
use shared::dynamodb::batch;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::favorites::{
    ClipPosition, Favorite, FavoriteTag, Favorites, GSI_ONE, GSI_TWO, Key, Term, favorites_of_tag_and_type_pk,
    favorites_of_tag_pk, favorites_of_type_pk, owner_of_favorite, term_pk,
};
use shared::search::Query;
use shared::values::{DataId, DataType, TagId, Username, Value};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The most lists that are compared. Of more words, the longest have the sparsest lists as a rule.
const MAX_LISTS: usize = 8;
/// The most entries of a list that are read at once.
const MAX_ENTRIES: i32 = 1000;
/// Sorts after every time of clipping: `:` follows `9`.
const AFTER_ALL: &str = ":";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(search_favorites).await
}

/// Favorites that have one thing in common.
#[derive(Debug, Clone)]
enum List {
    Term(String),
    Tag(TagId),
    TagAndType(TagId, DataType),
    Type(DataType),
}

/// A favorite in a list.
struct Entry {
    clipped: ClipPosition,
    known: Known,
}

/// What a list says of a favorite.
enum Known {
    Nothing,
    Title(String, DataType),
    All(Favorite),
}

/// So much of a list as one `Query` read.
struct Part {
    entries: Vec<Entry>,
    /// Whether there is more of the list.
    goes_on: bool,
}

async fn search_favorites(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    Caller::of(&request)?.must_be(&username)?;
    let query: Query =
        request::query(&request, "q")?.ok_or_else(|| Error::invalid("q", format!("must be {}", Query::RULE)))?;
    let page: Page<ClipPosition> = Page::of(&request, "search", format_args!("{username} {query}"))?;

    let tag_ids = tag_ids(&table, &username, &query).await?;
    // Nothing has a tag that isn't there, or two types.
    let Some(tag_ids) = tag_ids.filter(|_| query.types.len() <= 1) else {
        return answer::ok(&Favorites::default());
    };
    let lists = lists(&query, &tag_ids);
    let mut limit = page.limit;
    let reads = lists.iter().map(|list| read(&table, &username, list, page.after.as_ref(), limit));
    let parts: Vec<Part> = try_join_all(reads).await?;
    // The sparsest list is the one that ends first, or whose first entries reach farthest back.
    let (sparsest, mut part) = lists
        .iter()
        .zip(parts)
        .min_by_key(|(_, part)| {
            let last = part.entries.last().map(|entry| entry.clipped.clone());
            (part.goes_on, last.filter(|_| part.goes_on), part.entries.len())
        })
        .ok_or_else(|| Error::internal("a query of nothing"))?;

    let other_tags: Vec<TagId> = match sparsest {
        List::Tag(known) | List::TagAndType(known, _) => tag_ids.into_iter().filter(|tag| tag != known).collect(),
        List::Type(_) | List::Term(_) => tag_ids,
    };
    let most = usize::try_from(page.limit).map_err(Error::internal)?;
    let mut favorites: Vec<Favorite> = vec![];
    let goes_on = loop {
        let last = part.entries.last().map(|entry| entry.clipped.clone());
        let mut candidates = part.entries;
        candidates.retain(|entry| match &entry.known {
            Known::Nothing => true,
            Known::Title(title, data_type) => query.finds(title, *data_type),
            Known::All(favorite) => query.finds(&favorite.title, favorite.data_type),
        });
        let mut left = candidates.as_slice();
        while !left.is_empty() && favorites.len() < most {
            let keys_of_each = 1 + other_tags.len();
            let so_many = (most - favorites.len()).min(batch::MAX_GET_KEYS / keys_of_each).min(left.len());
            let (next, after) = left.split_at(so_many);
            favorites.extend(wanted(&table, &username, &query, &other_tags, next).await?);
            left = after;
        }
        let list_goes_on = part.goes_on;
        if favorites.len() == most || !list_goes_on {
            break list_goes_on || !left.is_empty();
        }
        // Where few of a list are wanted, more at once take fewer requests.
        limit = MAX_ENTRIES.min(limit * 2);
        part = read(&table, &username, sparsest, last.as_ref(), limit).await?;
    };

    let last = favorites.last().map(Favorite::clip_position).filter(|_| goes_on);
    let next_cursor = page.cursor(last)?;
    answer::ok(&Favorites { favorites, next_cursor })
}

/// The tags that the query names, by their names' items. None if one of them is no tag of the user's.
async fn tag_ids(table: &Table, username: &Username, query: &Query) -> Result<Option<Vec<TagId>>, Error> {
    let keys = query.tags.iter().map(|name| Key::tag_name(username, name).into()).collect();
    // Read consistently, because a deleted tag finds nothing any more.
    let names = batch::get(table, keys, true).await?;
    if names.len() < query.tags.len() {
        return Ok(None);
    }
    let tag_id = |item: &Item| item.get("tagId").and_then(|id| id.as_s().ok()?.parse().ok());
    let tag_ids: Option<Vec<TagId>> = names.iter().map(tag_id).collect();
    tag_ids.map(Some).ok_or_else(|| Error::internal(format!("tag names of {username} without a tag")))
}

/// The lists that have all that the query finds.
fn lists(query: &Query, tag_ids: &[TagId]) -> Vec<List> {
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

/// One `Query`: of a list, so many entries that follow `after`.
async fn read(
    table: &Table,
    username: &Username,
    list: &List,
    after: Option<&ClipPosition>,
    limit: i32,
) -> Result<Part, Error> {
    let query = match list {
        List::Term(_) => table.client.query().key_condition_expression("pk = :list AND sk < :after"),
        List::Tag(_) | List::Type(_) => {
            table.client.query().index_name(GSI_ONE).key_condition_expression("gsiOnePk = :list AND gsiOneSk < :after")
        }
        List::TagAndType(..) => {
            table.client.query().index_name(GSI_TWO).key_condition_expression("gsiTwoPk = :list AND gsiTwoSk < :after")
        }
    };
    let list_pk = match list {
        List::Term(term) => term_pk(username, term),
        List::Tag(tag_id) => favorites_of_tag_pk(username, tag_id),
        List::TagAndType(tag_id, data_type) => favorites_of_tag_and_type_pk(username, tag_id, *data_type),
        List::Type(data_type) => favorites_of_type_pk(username, *data_type),
    };
    let output = query
        .table_name(&table.name)
        .expression_attribute_values(":list", S(list_pk))
        .expression_attribute_values(":after", S(after.map_or_else(|| AFTER_ALL.to_owned(), ToString::to_string)))
        .scan_index_forward(false)
        .limit(limit)
        .send()
        .await?;

    let entry = |item: Item| -> Result<Entry, Error> {
        Ok(match list {
            List::Term(_) => {
                let term: Term = entity::from_item(item)?;
                let clipped = ClipPosition { clip_time: term.clip_time, data_id: term.data_id };
                Entry { clipped, known: Known::Title(term.title, term.data_type) }
            }
            List::Type(_) => {
                let favorite: Favorite = entity::from_item(item)?;
                Entry { clipped: favorite.clip_position(), known: Known::All(favorite) }
            }
            List::Tag(_) | List::TagAndType(..) => {
                Entry { clipped: FavoriteTag::of(username, item)?.clip_position(), known: Known::Nothing }
            }
        })
    };
    let entries = output.items.unwrap_or_default().into_iter().map(entry).collect::<Result<_, _>>()?;
    Ok(Part { entries, goes_on: output.last_evaluated_key.is_some() })
}

/// Of these candidates the favorites that the query wants, in the same order: one `BatchGetItem` of the favorites that the
/// list doesn't have as a whole, and of the tags that have to be on them.
async fn wanted(
    table: &Table,
    username: &Username,
    query: &Query,
    tag_ids: &[TagId],
    candidates: &[Entry],
) -> Result<Vec<Favorite>, Error> {
    let mut keys: Vec<Item> = vec![];
    let (mut favorites, mut tagged) = (HashMap::<DataId, Favorite>::new(), HashSet::<(DataId, TagId)>::new());
    for Entry { clipped: ClipPosition { data_id, .. }, known } in candidates {
        if let Known::All(favorite) = known {
            favorites.insert(data_id.clone(), favorite.clone());
        } else {
            keys.push(Key::favorite(username, data_id).into());
        }
        keys.extend(tag_ids.iter().map(|tag_id| Key::favorite_tag(username, data_id, tag_id).into()));
    }
    for item in batch::get(table, keys, false).await? {
        if owner_of_favorite(&item).is_some() {
            let favorite: Favorite = entity::from_item(item)?;
            favorites.insert(favorite.data_id.clone(), favorite);
        } else {
            let tag = FavoriteTag::of(username, item)?;
            tagged.insert((tag.data_id, tag.tag_id));
        }
    }
    let has_tags = |data_id: &DataId| tag_ids.iter().all(|tag_id| tagged.contains(&(data_id.clone(), tag_id.clone())));
    Ok(candidates
        .iter()
        .filter_map(|Entry { clipped, .. }| {
            favorites.remove(&clipped.data_id).filter(|favorite| favorite.clip_position() == *clipped)
        })
        .filter(|favorite| query.finds(&favorite.title, favorite.data_type))
        .filter(|favorite| has_tags(&favorite.data_id))
        .collect())
}
