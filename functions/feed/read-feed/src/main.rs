//! `GET /users/{username}/feed`: returns a page of the photos of those whom the caller follows,
//! newest first.
//!
//! - A `Query` of the caller's partition of `<stage>.Feed` reads the newest entries, which
//!   process-changes has written there (fan-out on write). On the first page it also reads the
//!   pulls: the authors with so many followers that no entries are written (fan-out on read). The
//!   cursor has their names, for the pages that follow.
//! - If the caller has pulls, a `BatchGetItem` of `<stage>.Feed` reads the newest photos of these
//!   authors. On a page with a cursor, it is sent at the same time as the Query.
//! - A `BatchGetItem` of `quick-photos` reads the photos of the page, and the profile and the
//!   friendship of each author.
//!
//! The page shows only photos that exist and are ready, of authors who exist and whom the caller
//! follows. So a page can be shorter than `limit`: other photos are left out, and a page ends early
//! if it has so many authors that their keys exceed one `BatchGetItem`.

use std::collections::{BTreeSet, HashMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::entity;
use shared::dynamodb::expiry::has_expired;
use shared::dynamodb::{Item, batch};
use shared::feed::{self, AFTER_PULLS, BEFORE_ENTRIES, InFeed, Latest, MAX_PULLS, Position, feed_pk};
use shared::http::answer;
use shared::http::page::{self, Page};
use shared::http::request::{Caller, path};
use shared::photos::{self, Friendship, is_friendship, is_photo, photo_from_item, user_from_item};
use shared::pictures::{ShownPhoto, Signer};
use shared::values::Username;
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["limit", "cursor"], |table: Table, request| {
        let feed = table.other(&feed);
        read_feed(table, feed, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Feed {
    photos: Vec<ShownPhoto>,
    next_cursor: Option<String>,
}

/// The content of a cursor: the position after which a page begins, and the authors of the pulls
/// that the caller had when the first page was read, in descending order.
#[derive(Serialize, Deserialize)]
struct PageStart {
    position: Position,
    pulls: Vec<Username>,
}

async fn read_feed(table: Table, feed: Table, request: Request, signer: &Signer) -> Result<Response<Feed>, Error> {
    let username: Username = path(&request, "username")?;
    let caller = Caller::from_request(&request)?;
    caller.must_be(&username)?;
    let mut page: Page<PageStart> = Page::from_request(&request, "feed", &username)?;

    let (in_feed, pulls, pulled) = if let Some(PageStart { position, pulls }) = page.after.take() {
        // One `BatchGetItem` reads all of them, and refuses a key that it gets twice.
        if pulls.len() > MAX_PULLS.into() || !pulls.is_sorted_by(|one, next| one > next) {
            return Err(page::invalid_cursor());
        }
        let in_feed = query(&feed, &username, Some(&position), page.limit);
        let (in_feed, pulled) = tokio::try_join!(in_feed, pulled_before(&feed, &pulls, Some(&position)))?;
        (in_feed, pulls, pulled)
    } else {
        let mut in_feed = query(&feed, &username, None, page.limit).await?;
        let pulls = std::mem::take(&mut in_feed.pulls);
        let pulled = pulled_before(&feed, &pulls, None).await?;
        (in_feed, pulls, pulled)
    };

    // A photo whose author has changed to fan-out on read since is in both. One whose entry has
    // expired keeps its place, so that the next page begins after it.
    let mut expired: HashSet<Position> = in_feed.expired.iter().cloned().collect();
    for position in &pulled {
        expired.remove(position);
    }
    let mut positions: BTreeSet<Position> = in_feed.entries.into_iter().chain(in_feed.expired).chain(pulled).collect();
    let on_page = take_newest(&mut positions, usize::try_from(page.limit).map_err(Error::internal)?);
    let visible: Vec<&Position> = on_page.iter().filter(|position| !expired.contains(position)).collect();
    let shown = show(&table, &visible, &username, signer).await?;
    let has_more = in_feed.has_more || !positions.is_empty();
    let last = on_page.into_iter().next_back().filter(|_| has_more).map(|position| PageStart { position, pulls });
    answer::private(&Feed { photos: shown, next_cursor: page.cursor(last)? })
}

/// The part of a reader's partition that a Query returned.
struct Part {
    pulls: Vec<Username>,
    entries: Vec<Position>,
    /// Entries that DynamoDB has not deleted yet.
    expired: Vec<Position>,
    has_more: bool,
}

/// Returns the pulls and the newest entries of a reader, or the newest entries before `position`.
async fn query(feed: &Table, reader: &Username, position: Option<&Position>, limit: i32) -> Result<Part, Error> {
    // There may be this many pulls before the first entry.
    let pulls = if position.is_none() { MAX_PULLS } else { 0 };
    let output = feed
        .client
        .query()
        .table_name(&feed.name)
        .key_condition_expression("pk = :feed AND sk BETWEEN :first AND :last")
        .expression_attribute_values(":feed", S(feed_pk(reader)))
        .expression_attribute_values(":first", S(BEFORE_ENTRIES.to_owned()))
        .expression_attribute_values(":last", S(AFTER_PULLS.to_owned()))
        .scan_index_forward(false)
        .set_exclusive_start_key(position.map(|position| feed::Key::entry(reader, position).into()))
        .limit(i32::from(pulls) + limit)
        .send()
        .await?;
    let has_more = output.last_evaluated_key.is_some();
    let mut part = Part { pulls: vec![], entries: vec![], expired: vec![], has_more };
    for item in output.items.unwrap_or_default() {
        match InFeed::from_item(&item)? {
            InFeed::Pull(author) => part.pulls.push(author),
            InFeed::Entry(position) if has_expired(&item) => part.expired.push(position),
            InFeed::Entry(position) => part.entries.push(position),
        }
    }
    Ok(part)
}

/// Returns the newest photos of these authors, or those before `position`.
async fn pulled_before(
    feed: &Table,
    authors: &[Username],
    position: Option<&Position>,
) -> Result<Vec<Position>, Error> {
    let keys = authors.iter().map(|author| feed::Key::latest(author).into()).collect();
    let mut pulled = vec![];
    for item in batch::get(feed, keys, false).await? {
        let Some(Latest { author, photos, .. }) = Latest::from_item(item)? else { continue };
        pulled.extend(photos.into_iter().map(|timestamp| Position { timestamp, author: author.clone() }));
    }
    pulled.retain(|pulled| position.is_none_or(|position| pulled < position));
    Ok(pulled)
}

/// Takes the newest positions, as many as fit on a page, and returns them from the newest to the
/// oldest.
fn take_newest(positions: &mut BTreeSet<Position>, limit: usize) -> Vec<Position> {
    let (mut newest, mut authors) = (vec![], HashSet::new());
    while newest.len() < limit
        && let Some(position) = positions.pop_last()
    {
        authors.insert(position.author.clone());
        // Each photo has one key, and each author two: the profile and the friendship.
        if newest.len() + 1 + 2 * authors.len() > batch::MAX_GET_KEYS {
            positions.insert(position);
            break;
        }
        newest.push(position);
    }
    newest
}

/// Returns the photos at these positions that the reader may see.
async fn show(
    table: &Table,
    positions: &[&Position],
    reader: &Username,
    signer: &Signer,
) -> Result<Vec<ShownPhoto>, Error> {
    let authors: HashSet<&Username> = positions.iter().map(|position| &position.author).collect();
    let photos = positions.iter().map(|position| photos::Key::photo(&position.author, &position.timestamp));
    let users = authors.iter().map(|author| photos::Key::user(author));
    let friendships = authors.iter().map(|author| photos::Key::friendship(author, reader));
    let keys = photos.chain(users).chain(friendships).map(Item::from).collect();

    let mut photos: HashMap<Position, ShownPhoto> = HashMap::new();
    let (mut existing, mut followed) = (HashSet::new(), HashSet::new());
    for item in batch::get(table, keys, false).await? {
        if is_photo(&item) {
            let photo = photo_from_item(item)?.map(|photo| signer.show(photo, reader)).transpose()?.flatten();
            photos.extend(photo.map(|photo| (position(&photo), photo)));
        } else if is_friendship(&item) {
            followed.insert(entity::from_item::<Friendship>(item)?.followed_user);
        } else {
            existing.extend(user_from_item(item)?.map(|user| user.username));
        }
    }
    photos.retain(|position, _| existing.contains(&position.author) && followed.contains(&position.author));
    Ok(positions.iter().filter_map(|position| photos.remove(*position)).collect())
}

fn position(photo: &ShownPhoto) -> Position {
    Position { timestamp: photo.timestamp.clone(), author: photo.username.clone() }
}
