//! The requests:
//!
//! - A `Query` of `<stage>.Feed` reads the newest ranking, or the one that the cursor names. At the
//!   same time, a `GetItem` reads the caller.
//! - A `BatchGetItem` reads the photos and whether the caller follows their owners, with
//!   `include=people` also the owners, and with `include=viewer` from `<stage>.Feed` the caller's
//!   engagements with the photos. If the caller is in a block or mutes anybody, another one reads the
//!   blocks between the caller and 50 owners.
//!
//! This process remembers what everybody reads: a ranking for a [minute](MINUTE), and photos and
//! owners for a second. So a photo may show for a second after it was deleted or restricted.
//! Friendships and blocks are always read.
//!
//! A ranking is the same for everybody. A page leaves out the photos of the caller, of people whom the
//! caller follows or mutes, and of those in a block with the caller, and each photo that is not for
//! everyone any more, or that is sensitive. If a page is not full because of these, it reads on, up to
//! [`MAX_ROUNDS`] times in total, and may be shorter than `limit`.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::access::Relations;
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::dynamodb::expiry::is_over;
use shared::dynamodb::memory::Memory;
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, Kind, MUTES, Position, RANKING_PK, Ranking, has_any, has_blocks, photo_from_item};
use shared::http::answer;
use shared::http::extract::Query;
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{People, ShownPhoto, Signer, add_engagements};
use shared::values::PhotosParts;
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of times that photos are read for a page.
const MAX_ROUNDS: usize = 4;
/// The time for which a process remembers a ranking. A ranking never changes, so only the newest one
/// is older than it could be.
const MINUTE: Duration = Duration::from_mins(1);
/// The time for which a process remembers photos and owners, if it has read them [`OFTEN`] times.
const MEMORY: Duration = Duration::from_secs(1);
/// The number of times in a second that a process reads the same photo or owner. Others come from its
/// memory, because everybody sees the same photos first, and one item serves [3,000 read units a
/// second](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html).
const OFTEN: u32 = 2;

/// A page of the photos that many have reacted to.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PopularPhotos {
    /// The photos. Those with more reactions come first, but a photo needs twice the reactions of one
    /// that is a day newer.
    photos: Vec<ShownPhoto>,
    /// The cards of the owners of the photos by username. Empty without `include=people`.
    people: People,
    next_cursor: Option<String>,
}

/// The content of a cursor: the minute of a ranking, and the number of its photos before the page.
#[derive(Serialize, Deserialize)]
pub struct PageStart {
    minute: String,
    passed: usize,
}

/// The route.
pub struct ListPopularPhotos {
    table: Table,
    feed: Table,
    signer: Signer,
    /// The rankings by minute, and the newest one.
    rankings: Memory<Option<String>, Option<Arc<Ranking>>>,
    /// Photos and owners.
    items: Memory<Key, Item>,
}

impl Route for ListPopularPhotos {
    const NAME: &'static str = "list-popular-photos";
    const ROUTE: &'static str = "GET /explore";
    const SUMMARY: &'static str = "Returns a page of the photos of the last days that many have reacted to, of people whom the caller does not follow.";

    type Input = (Caller, Query<PhotosParts>, PageParameters);
    type Body = PopularPhotos;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
            rankings: Memory::new(MINUTE, 1),
            items: Memory::new(MEMORY, OFTEN),
        })
    }

    async fn answer(&self, (caller, Query(include), page): Self::Input) -> Result<Response<PopularPhotos>, Error> {
        let mut page: Page<PageStart> = page.of("explore", "")?;
        let limit = usize::try_from(page.limit).map_err(Error::internal)?;
        let (minute, passed) = page.after.take().map(|start| (start.minute, start.passed)).unzip();
        let ranking = self.rankings.get_or(&minute, read_ranking(&self.feed, minute.as_deref()));
        let own = self.table.client.get_item().table_name(&self.table.name);
        let own = own.set_key(Some(Key::user(&caller.username).into()));
        let (ranking, own) = tokio::try_join!(ranking, async { Ok::<_, Error>(own.send().await?) })?;
        let ranked: &[Position] = ranking.as_ref().map_or(&[], |ranking| &ranking.photos);
        let mut passed: usize = passed.unwrap_or(0);

        let has_silenced = own.item.is_some_and(|own| has_blocks(&own) || has_any(&own, MUTES));
        let reader = Reader { route: self, caller: &caller, include, has_silenced };
        let (mut photos, mut people) = (vec![], People::new());
        for round in 0..MAX_ROUNDS {
            let room = if round == 0 { limit } else { MAX_GET_KEYS };
            let part: Vec<&Position> = ranked.iter().skip(passed).take(room.min(max_photos(include))).collect();
            let mut shown = reader.read(&part, &mut people).await?;
            for position in part {
                // The page ends before a photo for which it has no place.
                if photos.len() == limit && shown.contains_key(position) {
                    break;
                }
                photos.extend(shown.remove(position));
                passed += 1;
            }
            if photos.len() == limit || passed >= ranked.len() {
                break;
            }
        }
        people.retain(|owner, _| photos.iter().any(|photo| photo.username == *owner));
        let next = ranking.as_ref().filter(|ranking| passed < ranking.photos.len());
        let next = next.map(|ranking| PageStart { minute: ranking.minute.clone(), passed });
        answer::ok(&PopularPhotos { photos, people, next_cursor: page.cursor(next)? })
    }
}

/// Returns the ranking of a minute, or the newest one. A ranking that has expired counts as none, so a
/// list that has begun more than an hour ago ends.
async fn read_ranking(feed: &Table, minute: Option<&str>) -> Result<Option<Arc<Ranking>>, Error> {
    let query = feed
        .client
        .query()
        .table_name(&feed.name)
        .expression_attribute_values(":ranking", S(RANKING_PK.to_owned()))
        .scan_index_forward(false)
        .limit(1);
    let query = match minute {
        None => query.key_condition_expression("pk = :ranking"),
        Some(minute) => query
            .key_condition_expression("pk = :ranking AND sk = :minute")
            .expression_attribute_values(":minute", S(minute.to_owned())),
    };
    let newest = query.send().await?.items.unwrap_or_default().pop();
    let ranking: Option<Ranking> = newest.map(entity::from_item).transpose()?;
    Ok(ranking.filter(|ranking| !is_over(ranking.ttl)).map(Arc::new))
}

/// Returns the number of photos that one `BatchGetItem` reads with what is included. Each may have
/// another owner, whom the caller may follow.
fn max_photos(include: PhotosParts) -> usize {
    MAX_GET_KEYS / (2 + usize::from(include.people) + usize::from(include.viewer))
}

/// The caller, for whom photos are read.
struct Reader<'a> {
    route: &'a ListPopularPhotos,
    caller: &'a Caller,
    include: PhotosParts,
    /// Whether the caller is in a block or mutes anybody.
    has_silenced: bool,
}

impl Reader<'_> {
    /// Returns those of the photos that the page shows. Adds the cards of their owners, as far as they are
    /// asked for.
    async fn read(&self, photos: &[&Position], people: &mut People) -> Result<HashMap<Position, ShownPhoto>, Error> {
        let Self { route: ListPopularPhotos { table, feed, signer, items, .. }, caller, include, .. } = self;
        let caller = &caller.username;
        let of_others = photos.iter().filter(|photo| photo.author != *caller);
        let (mut of_all, mut friendships, mut engagements) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for Position { author, id } in of_others.copied() {
            of_all.insert(Key::photo(author, id));
            friendships.insert(Key::friendship(author, caller));
            if include.people {
                of_all.insert(Key::user(author));
            }
            if include.viewer {
                engagements.insert(Key::engagement(caller, author, id));
            }
        }
        let (mut found, missing) = items.split(of_all);
        let keys = missing.iter().cloned().chain(friendships).collect();
        let [read, engagements] = batch::get_from_tables([(table, keys), (feed, engagements)], false).await?;
        items.put_found(missing, &read);
        found.extend(read);

        let mut relations = Relations::new(caller);
        relations.add(&found)?;
        if self.has_silenced {
            relations.read_blocks(table, photos.iter().map(|photo| &photo.author)).await?;
        }
        people.extend(signer.cards(&found)?);
        let mut shown = vec![];
        for item in found.into_iter().filter(|item| Kind::Photo.is_of(item)) {
            let Some(photo) = photo_from_item(item)? else { continue };
            let owner = &photo.username;
            if photo.may_be_popular() && !relations.follows(owner) && !relations.silences(owner) {
                shown.extend(signer.show(photo, &relations));
            }
        }
        if include.viewer {
            add_engagements(&mut shown, engagements)?;
        }
        Ok(shown.into_iter().map(|photo| (photo.position(), photo)).collect())
    }
}
