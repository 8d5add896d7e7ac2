//! The requests:
//!
//! - A `Query` of the caller's partition of `<stage>.Feed` reads the newest entries, which
//!   process-changes has written there (fan-out on write). On the first page it also reads the
//!   pulls: the authors with so many followers that no entries are written (fan-out on read). The
//!   cursor has their names, for the pages that follow.
//! - If the caller has pulls, a `BatchGetItem` of `<stage>.Feed` reads the newest photos of these
//!   authors. On a page with a cursor, it is sent at the same time as the Query.
//! - A `BatchGetItem` of `quick-photos` reads the photos of the page, and the profile and the
//!   friendship of each author. With `include=viewer`, it also reads the caller's engagements with
//!   the photos, from `<stage>.Feed`. If some of the photos are sensitive, one reads the caller's settings.
//!
//! This process remembers for a second what everybody reads of the pulled authors ([`Remembered`]):
//! their newest photos, these photos and the profiles. So a photo of such an author may show for a
//! second after it was deleted or restricted. The friendships are always read, so after a block or
//! an unfollow it does not.
//!
//! The page shows only photos that exist, are ready and are not for their owner alone, of authors
//! who exist, whom the caller follows and has not muted. If it is not full after that, because
//! other photos were left out or because the keys of the authors exceeded one `BatchGetItem`, the
//! Query and the `BatchGetItem` of the photos are sent again for older entries, up to
//! [`MAX_ROUNDS`] times in total.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::Relations;
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::dynamodb::expiry::has_expired;
use shared::dynamodb::memory::Memory;
use shared::dynamodb::{Item, entity};
use shared::entities::{
    AFTER_PULLS, BEFORE_ENTRIES, InFeed, Key, Kind, Latest, MAX_PULLS, Photo, Position, feed_pk, photo_from_item,
};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{MAX_LIMIT, Page, PageParameters};
use shared::show::{People, ShownPhoto, Signer, add_engagements};
use shared::values::{PhotosParts, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of times that entries and their photos are read for one
/// page. Each further round reads up to 49 photos, so a page is full unless some 150 entries in a
/// row show nothing.
const MAX_ROUNDS: usize = 5;

/// The time for which a process remembers what it has read of pulled authors, if it has read it
/// [`OFTEN`] times in that time.
const MEMORY: Duration = Duration::from_secs(1);
/// The number of times in a second that a process reads the same of a pulled author. Others come
/// from its memory.
pub const OFTEN: u32 = 2;

/// The newest photos of pulled authors, these photos and the profiles, as this process has read
/// them within the last second. Millions may read them at the same time, and one item serves [3,000
/// read units a
/// second](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
struct Remembered {
    latest: Memory<Username, Latest>,
    /// Photos and profiles.
    items: Memory<Key, Item>,
}

impl Default for Remembered {
    fn default() -> Self {
        Self { latest: Memory::new(MEMORY, OFTEN), items: Memory::new(MEMORY, OFTEN) }
    }
}

/// A page of the caller's home feed.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Feed {
    /// The photos, newest first.
    photos: Vec<ShownPhoto>,
    /// The cards of the authors of the photos by username. They come without `include=people` too.
    people: People,
    next_cursor: Option<String>,
}

/// The content of a cursor: the position after which a page begins, and the authors of the pulls
/// that the caller had when the first page was read, in descending order.
#[derive(Serialize, Deserialize)]
pub struct PageStart {
    position: Position,
    pulls: Vec<Username>,
}

/// The route.
pub struct ListFeed {
    table: Table,
    feed: Table,
    signer: Signer,
    remembered: Remembered,
}

impl Route for ListFeed {
    const NAME: &'static str = "list-feed";
    const ROUTE: &'static str = "GET /users/{username}/feed";
    const SUMMARY: &'static str = "Returns a page of the photos of those whom the caller follows, newest first.";

    type Input = (Owner, Query<PhotosParts>, PageParameters);
    type Body = Feed;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
            remembered: Remembered::default(),
        })
    }

    async fn answer(&self, (Owner(caller), Query(include), page): Self::Input) -> Result<Response<Feed>, Error> {
        let Self { table, feed, signer, remembered } = self;
        let username = &caller.username;
        let mut page: Page<PageStart> = page.of("feed", username)?;
        let limit = usize::try_from(page.limit).map_err(Error::internal)?;

        let (mut part, pulls, pulled) = if let Some(PageStart { position, pulls }) = page.after.take() {
            let part = read_part(feed, username, Some(&position), page.limit);
            let (part, pulled) = tokio::try_join!(part, pulled_before(feed, &pulls, Some(&position), remembered))?;
            (part, pulls, pulled)
        } else {
            let mut part = read_part(feed, username, None, page.limit).await?;
            let pulls = std::mem::take(&mut part.pulls);
            let pulled = pulled_before(feed, &pulls, None, remembered).await?;
            (part, pulls, pulled)
        };

        let reader = Reader { table, feed, username, signer, include, pulls: &pulls, remembered };
        let mut shown = Shown::default();
        let mut last = None;
        for round in 1..=MAX_ROUNDS {
            // A photo whose author has changed to fan-out on read since is in both. One whose entry has
            // expired keeps its place, so that the next page begins after it.
            let pulled: BTreeSet<Position> =
                pulled.iter().filter(|pulled| last.as_ref().is_none_or(|last| *pulled < last)).cloned().collect();
            let expired: HashSet<Position> = part.expired.difference(&pulled).cloned().collect();
            let mut positions: BTreeSet<Position> =
                part.entries.into_iter().chain(part.expired).chain(pulled).collect();
            let candidates = take_newest(&mut positions, if round == 1 { limit } else { MAX_GET_KEYS }, include);
            let visible: Vec<&Position> = candidates.iter().filter(|position| !expired.contains(position)).collect();

            let is_full = shown.add(reader.read(&visible).await?, limit);
            let end = if is_full { shown.photos.last().map(ShownPhoto::position) } else { candidates.last().cloned() };
            let has_more =
                part.has_more || !positions.is_empty() || (is_full && visible.last().copied() != end.as_ref());
            last = end.or(last);
            if is_full || !has_more || round == MAX_ROUNDS {
                last = last.filter(|_| has_more);
                break;
            }
            part = read_part(feed, username, last.as_ref(), MAX_LIMIT).await?;
        }
        let next_cursor = page.cursor(last.map(|position| PageStart { position, pulls }))?;
        answer::private(&Feed { photos: shown.photos, people: shown.people, next_cursor })
    }
}

/// The photos of a page, and their authors.
#[derive(Default)]
struct Shown {
    photos: Vec<ShownPhoto>,
    people: People,
}

impl Shown {
    /// Adds photos up to `limit`, with their authors. Returns whether the page is full.
    fn add(&mut self, mut other: Self, limit: usize) -> bool {
        for photo in other.photos.into_iter().take(limit - self.photos.len()) {
            self.people.extend(other.people.remove_entry(&photo.username));
            self.photos.push(photo);
        }
        self.photos.len() == limit
    }
}

/// The part of a reader's partition that a Query returned.
struct Part {
    pulls: Vec<Username>,
    entries: BTreeSet<Position>,
    /// Entries that DynamoDB has not deleted yet.
    expired: BTreeSet<Position>,
    has_more: bool,
}

/// Returns the pulls and the newest entries of a reader, or the newest entries before `position`.
async fn read_part(feed: &Table, reader: &Username, position: Option<&Position>, limit: i32) -> Result<Part, Error> {
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
        .set_exclusive_start_key(position.map(|position| Key::entry(reader, position).into()))
        .limit(i32::from(pulls) + limit)
        .send()
        .await?;
    let has_more = output.last_evaluated_key.is_some();
    let mut part = Part { pulls: vec![], entries: BTreeSet::new(), expired: BTreeSet::new(), has_more };
    for item in output.items.unwrap_or_default() {
        match InFeed::from_item(&item)? {
            InFeed::Pull(author) => part.pulls.push(author),
            InFeed::Entry(position) if has_expired(&item) => {
                part.expired.insert(position);
            }
            InFeed::Entry(position) => {
                part.entries.insert(position);
            }
        }
    }
    Ok(part)
}

/// Returns the newest photos of these authors, or those before `position`.
async fn pulled_before(
    feed: &Table,
    authors: &[Username],
    position: Option<&Position>,
    remembered: &Remembered,
) -> Result<Vec<Position>, Error> {
    let (mut latest, mut keys) = (vec![], vec![]);
    for author in authors {
        match remembered.latest.get(author) {
            Some(found) => latest.push(found),
            None => keys.push(Key::latest(author).into()),
        }
    }
    for item in batch::get(feed, keys, false).await? {
        let found: Latest = entity::from_item(item)?;
        remembered.latest.put(&found.author, || Some(found.clone()));
        latest.push(found);
    }
    let mut pulled = vec![];
    for Latest { author, photos, .. } in latest {
        pulled.extend(photos.into_iter().map(|id| Position { id, author: author.clone() }));
    }
    pulled.retain(|pulled| position.is_none_or(|position| pulled < position));
    Ok(pulled)
}

/// Takes the newest positions, as many as fit into one `BatchGetItem` and at most `max`, and
/// returns them from the newest to the oldest.
fn take_newest(positions: &mut BTreeSet<Position>, max: usize, include: PhotosParts) -> Vec<Position> {
    let keys_per_photo = 1 + usize::from(include.viewer);
    let (mut newest, mut authors) = (vec![], HashSet::new());
    while newest.len() < max
        && let Some(position) = positions.pop_last()
    {
        authors.insert(position.author.clone());
        // Each author has two keys: the profile and the friendship.
        if (newest.len() + 1) * keys_per_photo + 2 * authors.len() > MAX_GET_KEYS {
            positions.insert(position);
            break;
        }
        newest.push(position);
    }
    newest
}

/// The reader of a feed, for whom photos are read.
struct Reader<'a> {
    table: &'a Table,
    feed: &'a Table,
    username: &'a Username,
    signer: &'a Signer,
    include: PhotosParts,
    /// The authors of the pulls, in descending order.
    pulls: &'a [Username],
    remembered: &'a Remembered,
}

impl Reader<'_> {
    /// Returns the photos at these positions that the reader may see, and their authors.
    async fn read(&self, positions: &[&Position]) -> Result<Shown, Error> {
        let authors: HashSet<&Username> = positions.iter().map(|position| &position.author).collect();
        let photos = positions.iter().map(|position| (&position.author, Key::photo(&position.author, &position.id)));
        let users = authors.iter().map(|author| (*author, Key::user(author)));
        let is_pulled = |author: &Username| self.pulls.binary_search_by(|pull| author.cmp(pull)).is_ok();
        let (pulled, pushed): (Vec<_>, Vec<_>) = photos.chain(users).partition(|(author, _)| is_pulled(author));
        let (mut found, missing) = self.remembered.items.split(pulled.into_iter().map(|(_, key)| key));
        let friendships = authors.iter().map(|author| Key::friendship(author, self.username));
        let pushed = pushed.into_iter().map(|(_, key)| key);
        let keys = missing.iter().cloned().chain(pushed).chain(friendships).map(Item::from).collect();
        let engagements = positions
            .iter()
            .filter(|_| self.include.viewer)
            .map(|position| Key::engagement(self.username, &position.author, &position.id).into());
        let tables = [(self.table, keys), (self.feed, engagements.collect())];
        let [read, engagements] = batch::get_from_tables(tables, false).await?;
        self.remembered.items.put_found(missing, &read);
        found.extend(read);

        let mut relations = Relations::new(self.username);
        relations.add(&found)?;
        let mut people = self.signer.cards(&found)?;
        people.retain(|author, _| relations.between(author).follows && !relations.between(author).muted);
        let found = found.into_iter().filter(|item| Kind::Photo.is_of(item));
        let found: Vec<Option<Photo>> = found.map(photo_from_item).collect::<Result<_, _>>()?;
        let mut found: Vec<Photo> = found.into_iter().flatten().collect();
        found.retain(|photo| people.contains_key(&photo.username));
        relations.read_settings(self.table, &found).await?;
        let shown = found.into_iter().filter_map(|photo| self.signer.show(photo, &relations));
        let mut photos: HashMap<Position, ShownPhoto> = shown.map(|photo| (photo.position(), photo)).collect();
        let mut photos: Vec<ShownPhoto> = positions.iter().filter_map(|position| photos.remove(*position)).collect();
        if self.include.viewer {
            add_engagements(&mut photos, engagements)?;
        }
        Ok(Shown { photos, people })
    }
}
