//! The requests:
//!
//! - A `BatchGetItem` reads the summary of the hashtag, which has the months with photos, and from
//!   `quick-photos` the caller, the decision by which the hashtag may be hidden, and with
//!   `include=viewer` the hashtags that the caller follows.
//! - A `Query` of `<stage>.Feed` reads the newest entries of a month. Months with few entries take one
//!   each, up to [`MAX_MONTHS_OF_PAGE`].
//! - A `BatchGetItem` reads the photos, with `include=people` also their owners, and with
//!   `include=viewer` from `<stage>.Feed` the caller's engagements with them. If the caller is in a
//!   block, another one reads the blocks between the caller and 50 owners.
//!
//! process-changes writes entries about a second after the photos. So a page shows only photos that
//! everyone may see and whose captions have the hashtag. If a page is not full because of others, or
//! because of blocks, older entries are read, up to [`MAX_ROUNDS`] times in total. A page may be
//! shorter than `limit`.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::Relations;
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::dynamodb::{Item, entity};
use shared::entities::{
    FollowedHashtags, HashtagEntry, HashtagSummary, Key, Kind, Photo, Position, has_blocks, hashtag_entries_pk,
    month_of, photo_from_item, photo_of_hashtag_entry,
};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{People, ShownPhoto, Signer, add_engagements};
use shared::values::{Hashtag, PhotosParts};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of times that photos are read for a page.
const MAX_ROUNDS: usize = 4;
/// The maximum number of Queries of a page, each of which reads entries of one month.
const MAX_MONTHS_OF_PAGE: usize = 12;

/// A page of the photos with a hashtag.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HashtagPhotos {
    /// The photos, the newest upload first.
    photos: Vec<ShownPhoto>,
    /// The cards of the owners of the photos by username. Empty without `include=people`.
    people: People,
    next_cursor: Option<String>,
    /// The caller's relation to the hashtag. Only with `include=viewer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    viewer: Option<HashtagViewer>,
}

/// The relation of a caller to a hashtag.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct HashtagViewer {
    /// Whether the caller follows the hashtag.
    followed: bool,
}

/// The content of a cursor: the month with which a page begins, and the photo in it after which it
/// does.
#[derive(Clone, Serialize, Deserialize)]
pub struct PageStart {
    month: String,
    after: Option<Position>,
}

/// The route.
pub struct ListPhotosOfHashtag {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for ListPhotosOfHashtag {
    const NAME: &'static str = "list-photos-of-hashtag";
    const ROUTE: &'static str = "GET /tags/{tag}/photos";
    const SUMMARY: &'static str =
        "Returns a page of the photos for everyone whose captions have a hashtag, newest first.";

    type Input = (Path<Hashtag>, Caller, Query<PhotosParts>, PageParameters);
    type Body = HashtagPhotos;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Path(hashtag), caller, Query(include), page): Self::Input,
    ) -> Result<Response<HashtagPhotos>, Error> {
        let Self { table, feed, signer } = self;
        let mut page: Page<PageStart> = page.of("photos of a hashtag", &hashtag)?;
        let limit = usize::try_from(page.limit).map_err(Error::internal)?;

        let mut keys = BTreeSet::from([Key::user(&caller.username), Key::hidden_hashtag(&hashtag)]);
        keys.extend(include.viewer.then(|| Key::followed_hashtags(&caller.username)));
        let summary = [Key::hashtag_summary(&hashtag)].into();
        let [found, mut summary] = batch::get_from_tables([(table, keys), (feed, summary)], false).await?;
        let is_hidden = batch::find(&found, Key::hidden_hashtag(&hashtag)).is_some();
        let summary = HashtagSummary::from_item(summary.pop().filter(|_| !is_hidden))?;
        let own = batch::find(&found, Key::user(&caller.username));
        let viewer = if include.viewer { Some(viewer(&found, &caller, &hashtag)?) } else { None };
        let has_blocks = own.is_some_and(has_blocks);
        let mut list = List { feed, hashtag: &hashtag, months: summary.months, after: None, queries: 0 };
        if let Some(start) = page.after.take() {
            list.begin_at(start);
        }

        let mut relations = Relations::new(&caller.username);
        relations.add_caller(own);
        let (mut photos, mut people, mut next) = (vec![], People::new(), None);
        for round in 0..MAX_ROUNDS {
            let room = if round == 0 { limit } else { MAX_GET_KEYS };
            let entries = list.take_newest(room.min(max_photos(include))).await?;
            let [found, engagements] = read_photos(table, feed, &caller, &entries, include).await?;
            if has_blocks {
                relations.read_blocks(table, entries.iter().map(|entry| &entry.author)).await?;
            }
            next = list.position();
            people.extend(signer.cards(&found)?);
            let mut shown = show(signer, &relations, &hashtag, &entries, found)?;
            if include.viewer {
                add_engagements(&mut shown, engagements)?;
            }
            for photo in shown {
                // The page ends before a photo for which it has no place.
                if photos.len() == limit {
                    next = photos.last().map(ShownPhoto::position).map(PageStart::after);
                    break;
                }
                photos.push(photo);
            }
            if photos.len() == limit || next.is_none() {
                break;
            }
        }
        people.retain(|owner, _| photos.iter().any(|photo| photo.username == *owner));
        answer::ok(&HashtagPhotos { photos, people, next_cursor: page.cursor(next)?, viewer })
    }
}

/// Returns what the caller does with a hashtag, by the item among those that were found.
fn viewer(found: &[Item], caller: &Caller, hashtag: &Hashtag) -> Result<HashtagViewer, Error> {
    let followed = batch::find(found, Key::followed_hashtags(&caller.username)).cloned();
    let followed: FollowedHashtags = followed.map(entity::from_item).transpose()?.unwrap_or_default();
    Ok(HashtagViewer { followed: followed.hashtags.contains(hashtag) })
}

impl PageStart {
    /// Returns the start of the page after a photo.
    fn after(photo: Position) -> Self {
        Self { month: month_of(&photo.id).to_owned(), after: Some(photo) }
    }
}

/// The entries of a hashtag that were not read yet.
struct List<'a> {
    feed: &'a Table,
    hashtag: &'a Hashtag,
    /// The months with entries that were not read yet.
    months: BTreeSet<String>,
    /// The photo of the newest of these months after which its entries go on, if some were read.
    after: Option<Position>,
    /// The number of Queries so far.
    queries: usize,
}

impl List<'_> {
    /// Leaves out what is before a page.
    fn begin_at(&mut self, PageStart { month, after }: PageStart) {
        self.months.retain(|other| *other <= month);
        self.after = after.filter(|_| self.months.last() == Some(&month));
    }

    /// Returns where the list goes on, or `None` at its end.
    fn position(&self) -> Option<PageStart> {
        self.months.last().map(|month| PageStart { month: month.clone(), after: self.after.clone() })
    }

    /// Takes the photos of the newest entries, at most `room`.
    async fn take_newest(&mut self, room: usize) -> Result<Vec<Position>, Error> {
        let mut taken: Vec<Position> = vec![];
        while taken.len() < room
            && self.queries < MAX_MONTHS_OF_PAGE
            && let Some(month) = self.months.last()
        {
            self.queries += 1;
            let start = self.after.take().map(|photo| Key::hashtag_entry(self.hashtag, &photo).into());
            let output = self
                .feed
                .client
                .query()
                .table_name(&self.feed.name)
                .key_condition_expression("pk = :month")
                .expression_attribute_values(":month", S(hashtag_entries_pk(self.hashtag, month)))
                .scan_index_forward(false)
                .set_exclusive_start_key(start)
                .limit(i32::try_from(room - taken.len()).map_err(Error::internal)?)
                .send()
                .await?;
            for item in output.items.unwrap_or_default() {
                taken.push(photo_of_hashtag_entry(&item)?);
            }
            if output.last_evaluated_key.is_some() {
                self.after = taken.last().cloned();
            } else {
                self.months.pop_last();
            }
        }
        Ok(taken)
    }
}

/// Returns the number of photos that one `BatchGetItem` reads with what is included.
fn max_photos(include: PhotosParts) -> usize {
    MAX_GET_KEYS / (1 + usize::from(include.people) + usize::from(include.viewer))
}

/// Reads photos, their owners and the caller's engagements with them, as far as they are asked for.
async fn read_photos(
    table: &Table,
    feed: &Table,
    caller: &Caller,
    photos: &[Position],
    include: PhotosParts,
) -> Result<[Vec<Item>; 2], Error> {
    let (mut keys, mut engagements) = (BTreeSet::new(), BTreeSet::new());
    for Position { author, id } in photos {
        keys.insert(Key::photo(author, id));
        if include.people {
            keys.insert(Key::user(author));
        }
        if include.viewer {
            engagements.insert(Key::engagement(&caller.username, author, id));
        }
    }
    batch::get_from_tables([(table, keys), (feed, engagements)], false).await
}

/// Returns the photos among items that everyone may see, that have the hashtag, and that no block
/// hides, in the order of their entries.
fn show(
    signer: &Signer,
    relations: &Relations<'_>,
    hashtag: &Hashtag,
    entries: &[Position],
    found: Vec<Item>,
) -> Result<Vec<ShownPhoto>, Error> {
    let mut shown: HashMap<Position, ShownPhoto> = HashMap::new();
    for item in found.into_iter().filter(|item| Kind::Photo.is_of(item)) {
        let Some(photo) = photo_from_item(item)? else { continue };
        if has_hashtag(&photo, hashtag) && !relations.hides(&photo.username) {
            shown.extend(signer.show(photo, relations).map(|photo| (photo.position(), photo)));
        }
    }
    Ok(entries.iter().filter_map(|entry| shown.remove(entry)).collect())
}

/// Returns whether a photo is in the list of a hashtag as it is now.
fn has_hashtag(photo: &Photo, hashtag: &Hashtag) -> bool {
    let is_of_list = |entry: &HashtagEntry| entry.hashtag == *hashtag;
    photo.hashtag_entries().iter().any(is_of_list)
}
