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
use shared::favorites::{
    Clipped, Favorite, FavoriteTag, Favorites, GSI_ONE, GSI_TWO, Key, Term, favorites_of_tag_and_type_pk,
    favorites_of_tag_pk, favorites_of_type_pk, owner_of_favorite, term_pk,
};
use shared::items::{self, Item};
use shared::page::Page;
use shared::request::{self, Caller, path};
use shared::terms::Query;
use shared::values::{DataId, DataType, TagId, Username, Value};
use shared::{Error, Request, Response, Table, answer, batch};

/// The most lists that are compared. Of more words, the longest have the sparsest lists as a rule.
const MOST_LISTS: usize = 8;
/// The most entries of a list that are read at once.
const MOST_ENTRIES: i32 = 1000;
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
    clipped: Clipped,
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
    let page: Page<Clipped> = Page::of(&request, "search", format_args!("{username} {query}"))?;

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
            let so_many = (most - favorites.len()).min(batch::MOST_READ / keys_of_each).min(left.len());
            let (next, after) = left.split_at(so_many);
            favorites.extend(wanted(&table, &username, &query, &other_tags, next).await?);
            left = after;
        }
        let list_goes_on = part.goes_on;
        if favorites.len() == most || !list_goes_on {
            break list_goes_on || !left.is_empty();
        }
        // Where few of a list are wanted, more at once take fewer requests.
        limit = MOST_ENTRIES.min(limit * 2);
        part = read(&table, &username, sparsest, last.as_ref(), limit).await?;
    };

    let last = favorites.last().map(Favorite::clipped).filter(|_| goes_on);
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
    of_tags.chain(of_type).chain(terms.into_iter().map(List::Term)).take(MOST_LISTS).collect()
}

/// One `Query`: of a list, so many entries that follow `after`.
async fn read(
    table: &Table,
    username: &Username,
    list: &List,
    after: Option<&Clipped>,
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
                let term: Term = items::entity(item)?;
                let clipped = Clipped { clip_time: term.clip_time, data_id: term.data_id };
                Entry { clipped, known: Known::Title(term.title, term.data_type) }
            }
            List::Type(_) => {
                let favorite: Favorite = items::entity(item)?;
                Entry { clipped: favorite.clipped(), known: Known::All(favorite) }
            }
            List::Tag(_) | List::TagAndType(..) => {
                Entry { clipped: FavoriteTag::of(username, item)?.clipped(), known: Known::Nothing }
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
    for Entry { clipped: Clipped { data_id, .. }, known } in candidates {
        if let Known::All(favorite) = known {
            favorites.insert(data_id.clone(), favorite.clone());
        } else {
            keys.push(Key::favorite(username, data_id).into());
        }
        keys.extend(tag_ids.iter().map(|tag_id| Key::favorite_tag(username, data_id, tag_id).into()));
    }
    for item in batch::get(table, keys, false).await? {
        if owner_of_favorite(&item).is_some() {
            let favorite: Favorite = items::entity(item)?;
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
            favorites.remove(&clipped.data_id).filter(|favorite| favorite.clipped() == *clipped)
        })
        .filter(|favorite| query.finds(&favorite.title, favorite.data_type))
        .filter(|favorite| has_tags(&favorite.data_id))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use local::testing::{Ask, Collection, Fixture, ask};
    use serde_json::{Value, json};

    fn search(owner: &str, query: &str) -> Ask {
        let encoded = query.bytes().fold(String::new(), |encoded, byte| encoded + &format!("%{byte:02X}"));
        ask("GET", format!("/users/{owner}/favorites/search?q={encoded}")).by(owner)
    }

    async fn found(fixture: &Fixture, owner: &str, query: &str) -> Vec<String> {
        let answer = fixture.call(search_favorites, search(owner, query)).await;
        assert_eq!(answer.status, 200, "{query}: {}", answer.body);
        let favorites = answer.body["favorites"].as_array().unwrap();
        favorites.iter().map(|favorite| favorite["dataId"].as_str().unwrap().to_owned()).collect()
    }

    #[tokio::test]
    async fn finds_by_words_and_type() {
        let fixture = Fixture::new("search-favorites").await;
        let answer = fixture.call_with_sample_event(search_favorites).await;
        assert_eq!(answer.status, 200);
        assert_eq!(
            answer.body,
            json!({
                "favorites": [{
                    "dataId": "sunset", "dataType": "image", "title": "Sunset over Lisbon", "creatorId": "ada",
                    "thumbnailUrl": "https://photos.example.com/ada/sunset.thumbnail.webp",
                    "contentUrl": "https://photos.example.com/ada/sunset", "clipTime": 1_717_206_000_000_u64,
                }],
                "nextCursor": null,
            })
        );
    }

    #[tokio::test]
    async fn finds_in_every_script_by_tag_and_by_type() {
        let fixture = Fixture::new("search-favorites").await;
        for (query, ids) in [
            ("lisb", &["sunset"][..]),
            ("HAUPTSTRASSE", &["onion-tart"]),
            ("zwiebel aus", &["onion-tart"]),
            ("tres", &[]),
            ("TRE\u{302}S", &["fado"]),
            ("бабушка", &["grandmother"]),
            ("藏夹", &["books"]),
            ("想读 收藏夹", &["books"]),
            ("书", &["books"]),
            ("夹藏", &[]),
            ("d", &["viewpoint", "dinner", "onion-tart"]),
            ("28", &["tram"]),
            ("type:music", &["fado"]),
            ("tag:travel", &["viewpoint", "fado", "packing-list", "tram", "sunset"]),
            ("tag:TRAVEL type:file", &["packing-list"]),
            ("tag:семья tag:travel", &["viewpoint"]),
            ("tag:\"семья\" miradouro", &["viewpoint"]),
            ("tag:Küche", &["onion-tart"]),
            ("tag:\"KU\u{308}CHE\" straße", &[]),
            ("tag:موسيقى", &["fado"]),
            ("tag:travel zwiebelkuchen", &[]),
            ("tag:nothing", &[]),
            ("type:video tag:travel tram", &["tram"]),
            ("type:video type:image", &[]),
            ("heron", &[]),
            ("map", &[]),
        ] {
            assert_eq!(found(&fixture, "ada", query).await, ids, "{query}");
        }
        assert_eq!(found(&fixture, "ben", "heron").await, ["heron"]);
        assert_eq!(found(&fixture, "ben", "tag:travel").await, Vec::<String>::new());
        assert_eq!(found(&fixture, "ben", "東京 野鳥").await, ["tokyo"]);
    }

    #[tokio::test]
    async fn what_is_gone_is_not_found_though_its_terms_are_still_there() {
        let fixture = Fixture::new("search-favorites").await;
        let mut cara = Collection::of("cara");
        for (number, id) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            cara.clip(id, DataType::Image, "Owl", 1_700_000_000_000 + number as u64, &[]);
        }
        fixture.put_all(cara.into_items());
        // The newest is gone; b was clipped again, under another title.
        fixture.delete(Key::favorite(&"cara".parse().unwrap(), &"e".parse().unwrap())).await;
        let mut again = Collection::of("cara");
        again.clip("b", DataType::Image, "Ox", 1_800_000_000_000, &[]);
        fixture.put_all(again.into_items());
        assert_eq!(found(&fixture, "cara", "owl").await, ["d", "c", "a"]);
        let page = fixture.call(search_favorites, ask("GET", "/users/cara/favorites/search?q=owl&limit=2").by("cara"));
        let ids =
            page.await.body["favorites"].as_array().unwrap().iter().map(|f| f["dataId"].clone()).collect::<Vec<_>>();
        assert_eq!(ids, ["d", "c"], "the page is full");
    }

    /// A hundred favorites of ben's, by what divides their number.
    fn numbers() -> Collection {
        let mut ben = Collection::of("ben");
        ben.tag("odd", "Odd", 0, 0);
        for number in 0..100_u64 {
            let title = format!(
                "all{}{}",
                if number % 2 == 0 { " two" } else { "" },
                if number % 3 == 0 { " three" } else { "" }
            );
            let data_type = if number % 5 == 0 { DataType::Voice } else { DataType::File };
            let tags: &[&str] = if number % 2 == 1 { &["odd"] } else { &[] };
            ben.clip(&format!("n{number:02}"), data_type, &title, 1_800_000_000_000 + number, tags);
        }
        ben
    }

    #[tokio::test]
    async fn every_page_is_full_or_the_last() {
        let fixture = Fixture::new("search-favorites").await;
        fixture.put_all(numbers().into_items());
        let fits = |query: &str, number: u64| match query {
            "all" => true,
            "two three" => number.is_multiple_of(6),
            "type:voice" => number.is_multiple_of(5),
            "three type:voice" => number.is_multiple_of(15),
            "tag:odd three" => !number.is_multiple_of(2) && number.is_multiple_of(3),
            "tag:odd type:voice a" => !number.is_multiple_of(2) && number.is_multiple_of(5),
            _ => panic!("{query}"),
        };
        for query in ["all", "two three", "type:voice", "three type:voice", "tag:odd three", "tag:odd type:voice a"] {
            let expected: Vec<String> =
                (0..100).rev().filter(|number| fits(query, *number)).map(|number| format!("n{number:02}")).collect();
            for limit in [1, 3, 7, 100] {
                let (mut ids, mut cursor) = (vec![], String::new());
                loop {
                    let uri =
                        format!("/users/ben/favorites/search?q={}&limit={limit}{cursor}", query.replace(' ', "%20"));
                    let page = fixture.call(search_favorites, ask("GET", uri).by("ben")).await;
                    let favorites = page.body["favorites"].as_array().unwrap();
                    ids.extend(favorites.iter().map(|favorite| favorite["dataId"].as_str().unwrap().to_owned()));
                    let Some(next) = page.body["nextCursor"].as_str() else { break };
                    assert_eq!(favorites.len(), limit, "{query}");
                    cursor = format!("&cursor={next}");
                }
                assert_eq!(ids, expected, "{query} by {limit}");
            }
        }
    }

    /// Whoever looked whether anything follows a page would read what the page doesn't show.
    #[tokio::test]
    async fn an_empty_page_may_be_the_last() {
        let fixture = Fixture::new("search-favorites").await;
        let uri = "/users/ada/favorites/search?q=lisb&limit=1";
        let first = fixture.call(search_favorites, ask("GET", uri).by("ada")).await;
        assert_eq!(first.body["favorites"][0]["dataId"], "sunset");
        let next = format!("{uri}&cursor={}", first.body["nextCursor"].as_str().unwrap());
        let last = fixture.call(search_favorites, ask("GET", next).by("ada")).await;
        assert_eq!(last.body, json!({"favorites": [], "nextCursor": null}));
    }

    #[tokio::test]
    async fn pages_while_others_write() {
        let fixture = Fixture::new("search-favorites").await;
        fixture.put_all(numbers().into_items());
        let newer = async |fixture: &Fixture| {
            let mut ben = Collection::of("ben");
            ben.clip("newer", DataType::File, "two three", 1_900_000_000_000, &[]);
            fixture.put_all(ben.into_items());
        };
        let uri = "/users/ben/favorites/search?q=two%20three%20all";
        let mut ids = vec![];
        let mut cursor = String::new();
        loop {
            let page = fixture.call(search_favorites, ask("GET", format!("{uri}&limit=5{cursor}")).by("ben")).await;
            ids.extend(page.body["favorites"].as_array().unwrap().iter().map(|favorite| favorite["dataId"].clone()));
            let Some(next) = page.body["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
            newer(&fixture).await;
        }
        let expected: Vec<Value> = (0..17).rev().map(|number| json!(format!("n{:02}", number * 6))).collect();
        assert_eq!(ids, expected);
    }

    #[tokio::test]
    async fn a_cursor_is_good_for_the_same_words_in_any_form() {
        let fixture = Fixture::new("search-favorites").await;
        let uri = |query: &str, cursor: &str| format!("/users/ada/favorites/search?q={query}&limit=1{cursor}");
        let first = fixture.call(search_favorites, ask("GET", uri("tag:Travel", "")).by("ada")).await;
        let cursor = format!("&cursor={}", first.body["nextCursor"].as_str().unwrap());
        let second = fixture.call(search_favorites, ask("GET", uri("TAG:%22travel%22", &cursor)).by("ada")).await;
        assert_eq!(second.body["favorites"][0]["dataId"], "fado");
        fixture.refuses_field(search_favorites, ask("GET", uri("tag:travel%20f", &cursor)).by("ada"), "cursor").await;
    }

    /// A word of 2,000 titles together with one of ten of them.
    #[tokio::test]
    async fn the_sparsest_list_is_read_and_no_other() {
        let fixture = Fixture::new("search-favorites").await;
        let mut ben = Collection::of("ben");
        for number in 0..2_000_u64 {
            let title = if number % 200 == 0 { "common rare" } else { "common" };
            ben.clip(&format!("n{number}"), DataType::Image, title, 1_800_000_000_000 + number, &[]);
        }
        fixture.put_all(ben.into_items());
        for query in ["common rare", "rare common", "rare type:image", "c rare"] {
            assert_eq!(found(&fixture, "ben", query).await.len(), 10, "{query}");
            assert_eq!(fixture.asked(), ["Query", "Query", "BatchGetItem"], "{query}");
        }
    }

    #[tokio::test]
    async fn refuses_bad_input() {
        let fixture = Fixture::new("search-favorites").await;
        let own = search("ben", "heron");
        fixture.needs_a_caller(search_favorites, own.clone()).await;
        fixture.is_for_its_owner_alone(search_favorites, own).await;
        fixture
            .refuses_bad_usernames(search_favorites, "username", |name| {
                ask("GET", format!("/users/{name}/favorites/search?q=x"))
            })
            .await;
        fixture.refuses_field(search_favorites, ask("GET", "/users/ben/favorites/search").by("ben"), "q").await;
        let long = "a".repeat(201);
        for query in ["", " ", "?!", "tag:", "type:", "type:picture", "tag:\"no end", "tag:\"\"", "tag: x", &long] {
            fixture.refuses_field(search_favorites, search("ben", query), "q").await;
        }
        for uri in ["q=a&q=b", "q=a&limit=0", "q=a&limit=101", "q=a&cursor=x"] {
            let field = if uri.contains("limit") {
                "limit"
            } else if uri.contains("cursor") {
                "cursor"
            } else {
                "q"
            };
            let ask = ask("GET", format!("/users/ben/favorites/search?{uri}")).by("ben");
            fixture.refuses_field(search_favorites, ask, field).await;
        }
    }
}
