//! The requests:
//!
//! - A `Query` of the caller's partition of `<stage>.Feed` reads the newest entries, which
//!   process-changes has written there (fan-out on write). On the first page it also reads the
//!   pulls: the authors with so many followers that no entries are written (fan-out on read), and the
//!   hashtags that the caller follows. The cursor has their names, for the pages that follow.
//! - If the caller has pulls, a `BatchGetItem` of `<stage>.Feed` reads the newest photos of these
//!   authors. If the caller follows hashtags, it also reads their summaries, and from `quick-photos`
//!   the caller, and the decisions by which hashtags may be hidden. On a page with a cursor, it is sent
//!   at the same time as the Query.
//! - For each hashtag, a `Query` of `<stage>.Feed` reads its newest [`MAX_HASHTAG_PHOTOS`] entries, and
//!   another one if the newest month has fewer. Months without entries take one each, and so does what is
//!   behind own and imported photos, up to six in all. At most 20 are sent at the same time.
//! - A `BatchGetItem` of `quick-photos` reads the photos of the page, and the profile and the
//!   friendship of each author. If the caller blocks or mutes anybody, or is blocked, it also reads the
//!   blocks between the caller and those whose photos come by a hashtag. With `include=viewer`, it also
//!   reads the caller's engagements with the photos, from `<stage>.Feed`. If some of the photos are
//!   sensitive, one reads the caller's settings, unless they were read with the hashtags.
//!
//! This process remembers for a second what everybody reads of the pulled authors and the hashtags
//! ([`Remembered`]): their newest photos, these photos and the profiles. So such a photo may show for a
//! second after it was deleted or restricted, or its hashtag was hidden. The friendships and the blocks
//! are always read, so after a block or an unfollow it does not.
//!
//! The page shows only photos that exist, are ready and are not for their owner alone, of authors
//! who exist, whom the caller follows and has not muted. A photo that comes by a hashtag shows if
//! everyone may see it, no import has made it, its caption has the hashtag, and neither a block nor a
//! mute is between the caller and its owner. If the page is not full after that, because other photos were left out or
//! because the keys of the authors exceeded one `BatchGetItem`, the Query and the `BatchGetItem` of the
//! photos are sent again for older entries, up to [`MAX_ROUNDS`] times in total.

use std::collections::{BTreeSet, HashMap, HashSet};

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::{Relation, Relations};
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::dynamodb::expiry::has_expired;
use shared::entities::{
    BEFORE_ENTRIES, InFeed, Key, Kind, MAX_PULLS, PULLED_HASHTAGS, Photo, Position, feed_pk, photo_from_item,
};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{MAX_LIMIT, Page, PageParameters};
use shared::show::{People, ShownPhoto, Signer, add_engagements};
use shared::values::{Hashtag, PhotosParts, Username};
use shared::{Error, Process, Response, Route, StartError, Table};

pub use self::pulled::MAX_HASHTAG_PHOTOS;
use self::pulled::Pulled;
pub use self::remembered::OFTEN;
use self::remembered::Remembered;

mod pulled;
mod remembered;
#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of times that entries and their photos are read for one
/// page. Each further round reads up to 49 photos, so a page is full unless some 150 entries in a
/// row show nothing.
const MAX_ROUNDS: usize = 5;

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

/// The content of a cursor: the position after which a page begins, the authors of the pulls that the
/// caller had when the first page was read, in descending order, and the hashtags that the caller
/// followed.
#[derive(Serialize, Deserialize)]
pub struct PageStart {
    position: Position,
    pulls: Vec<Username>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    hashtags: BTreeSet<Hashtag>,
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
    const SUMMARY: &'static str =
        "Returns a page of the photos of those whom the caller follows, and of followed hashtags, newest first.";

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

        let tables = [table, feed];
        let (mut part, pulls, hashtags, pulled) =
            if let Some(PageStart { position, pulls, hashtags }) = page.after.take() {
                let part = read_part(feed, username, Some(&position), page.limit);
                let pulled = Pulled::read(tables, username, &pulls, &hashtags, Some(&position), remembered);
                let (part, pulled) = tokio::try_join!(part, pulled)?;
                (part, pulls, hashtags, pulled)
            } else {
                let mut part = read_part(feed, username, None, page.limit).await?;
                let (pulls, hashtags) = (std::mem::take(&mut part.pulls), std::mem::take(&mut part.hashtags));
                let pulled = Pulled::read(tables, username, &pulls, &hashtags, None, remembered).await?;
                (part, pulls, hashtags, pulled)
            };

        let reader = Reader { table, feed, username, signer, include, pulls: &pulls, pulled: &pulled, remembered };
        let mut shown = Shown::default();
        let mut last: Option<Position> = None;
        for round in 1..=MAX_ROUNDS {
            let is_left = |position: &&Position| last.as_ref().is_none_or(|last| *position < last);
            // A photo whose author has changed to fan-out on read since is in both.
            let by_author = pulled.by_author.iter().filter(is_left).cloned();
            let mut positions: BTreeSet<Position> = part.entries.into_iter().chain(by_author).collect();
            let by_both: HashSet<Position> =
                pulled.by_hashtag.keys().filter(|position| positions.contains(*position)).cloned().collect();
            positions.extend(pulled.by_hashtag.keys().filter(is_left).cloned());
            // An expired entry keeps its place, so that the next page begins after it.
            let expired: HashSet<Position> = part.expired.difference(&positions).cloned().collect();
            positions.extend(part.expired);
            let candidates =
                take_newest(&mut positions, if round == 1 { limit } else { MAX_GET_KEYS }, include, &pulled);
            let visible: Vec<&Position> = candidates.iter().filter(|position| !expired.contains(position)).collect();

            let is_full = shown.add(reader.read(&visible, &by_both).await?, limit);
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
        let next_cursor = page.cursor(last.map(|position| PageStart { position, pulls, hashtags }))?;
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
    hashtags: BTreeSet<Hashtag>,
    entries: BTreeSet<Position>,
    /// Entries that DynamoDB has not deleted yet.
    expired: BTreeSet<Position>,
    has_more: bool,
}

/// Returns the pulls, the hashtags and the newest entries of a reader, or the newest entries before
/// `position`.
async fn read_part(feed: &Table, reader: &Username, position: Option<&Position>, limit: i32) -> Result<Part, Error> {
    // There may be the hashtags and this many pulls before the first entry.
    let pulls = if position.is_none() { MAX_PULLS + 1 } else { 0 };
    let output = feed
        .client
        .query()
        .table_name(&feed.name)
        .key_condition_expression("pk = :feed AND sk BETWEEN :first AND :last")
        .expression_attribute_values(":feed", S(feed_pk(reader)))
        .expression_attribute_values(":first", S(BEFORE_ENTRIES.to_owned()))
        .expression_attribute_values(":last", S(PULLED_HASHTAGS.to_owned()))
        .scan_index_forward(false)
        .set_exclusive_start_key(position.map(|position| Key::entry(reader, position).into()))
        .limit(i32::from(pulls) + limit)
        .send()
        .await?;
    let has_more = output.last_evaluated_key.is_some();
    let (pulls, hashtags, entries, expired) = (vec![], BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut part = Part { pulls, hashtags, entries, expired, has_more };
    for item in output.items.unwrap_or_default() {
        match InFeed::from_item(&item)? {
            InFeed::Hashtags(hashtags) => part.hashtags = hashtags,
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

/// Takes the newest positions, as many as fit into one `BatchGetItem` and at most `max`, and
/// returns them from the newest to the oldest.
fn take_newest(positions: &mut BTreeSet<Position>, max: usize, include: PhotosParts, pulled: &Pulled) -> Vec<Position> {
    let keys_per_photo = 1 + usize::from(include.viewer);
    let (mut newest, mut authors, mut with_blocks) = (vec![], HashSet::new(), HashSet::new());
    while newest.len() < max
        && let Some(position) = positions.pop_last()
    {
        authors.insert(position.author.clone());
        with_blocks.extend(pulled.needs_blocks(&position).then(|| position.author.clone()));
        // Each author has two keys: the profile and the friendship. Some have two blocks.
        let keys_of_authors = 2 * (authors.len() + with_blocks.len());
        if (newest.len() + 1) * keys_per_photo + keys_of_authors > MAX_GET_KEYS {
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
    pulled: &'a Pulled,
    remembered: &'a Remembered,
}

impl Reader<'_> {
    /// Returns the photos at these positions that the reader may see, and their authors. Those at the
    /// positions `by_both` have come by their author and by a hashtag.
    async fn read(&self, positions: &[&Position], by_both: &HashSet<Position>) -> Result<Shown, Error> {
        let authors: HashSet<&Username> = positions.iter().map(|position| &position.author).collect();
        let is_hot = |position: &Position| {
            self.pulls.binary_search_by(|pull| position.author.cmp(pull)).is_ok()
                || self.pulled.by_hashtag.contains_key(position)
        };
        let (hot, others): (Vec<&Position>, Vec<&Position>) =
            positions.iter().copied().partition(|position| is_hot(position));
        let hot_authors: HashSet<&Username> = hot.iter().map(|position| &position.author).collect();
        let photo = |position: &Position| Key::photo(&position.author, &position.id);
        let hot = hot.into_iter().map(photo).chain(hot_authors.iter().map(|author| Key::user(author)));
        let (mut found, missing) = self.remembered.items.split(hot);
        let others =
            others.into_iter().map(photo).chain(authors.difference(&hot_authors).map(|author| Key::user(author)));
        let friendships = authors.iter().map(|author| Key::friendship(author, self.username));
        let with_blocks = positions.iter().filter(|position| self.pulled.needs_blocks(position));
        let with_blocks: HashSet<&Username> = with_blocks.map(|position| &position.author).collect();
        let blocks = with_blocks
            .into_iter()
            .flat_map(|author| [Key::block(author, self.username), Key::block(self.username, author)]);
        let keys = missing.iter().cloned().chain(others).chain(friendships).chain(blocks).collect();
        let engagements = positions
            .iter()
            .filter(|_| self.include.viewer)
            .map(|position| Key::engagement(self.username, &position.author, &position.id));
        let tables = [(self.table, keys), (self.feed, engagements.collect())];
        let [read, engagements] = batch::get_from_tables(tables, false).await?;
        self.remembered.items.put_found(missing, &read);
        found.extend(read);

        let mut relations = Relations::new(self.username);
        relations.add(&found)?;
        if let Some(reader) = &self.pulled.reader {
            relations.add_caller(Some(reader));
        }
        let people = self.signer.cards(&found)?;
        let found = found.into_iter().filter(|item| Kind::Photo.is_of(item));
        let found: Vec<Option<Photo>> = found.map(photo_from_item).collect::<Result<_, _>>()?;
        let mut found: Vec<Photo> = found.into_iter().flatten().collect();
        found.retain(|photo| people.contains_key(&photo.username) && self.shows(photo, &relations, by_both));
        relations.read_settings(self.table, &found).await?;
        let shown = found.into_iter().filter_map(|photo| self.signer.show(photo, &relations));
        let mut photos: HashMap<Position, ShownPhoto> = shown.map(|photo| (photo.position(), photo)).collect();
        let mut photos: Vec<ShownPhoto> = positions.iter().filter_map(|position| photos.remove(*position)).collect();
        if self.include.viewer {
            add_engagements(&mut photos, engagements)?;
        }
        Ok(Shown { photos, people })
    }

    /// Returns whether a photo is in the feed: because the reader follows its owner, or because it has
    /// a hashtag that brought it. One of an import is not, although the list of a hashtag has it, or an
    /// entry of an earlier photo with its id is left.
    fn shows(&self, photo: &Photo, relations: &Relations<'_>, by_both: &HashSet<Position>) -> bool {
        if photo.imported {
            return false;
        }
        let Relation { follows, muted, .. } = relations.between(&photo.username);
        let by_hashtag = &self.pulled.by_hashtag;
        if by_hashtag.is_empty() {
            return follows && !muted;
        }
        let position = Position { id: photo.id.clone(), author: photo.username.clone() };
        let Some(hashtags) = by_hashtag.get(&position) else { return follows && !muted };
        let has_hashtag = || photo.hashtag_entries().iter().any(|entry| hashtags.contains(&entry.hashtag));
        let is_silenced = muted || relations.silences(&photo.username);
        !is_silenced && ((follows && by_both.contains(&position)) || has_hashtag())
    }
}
