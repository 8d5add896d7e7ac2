//! One `BatchGetItem` reads the photo and the caller, and from `<stage>.Feed` the vector of the
//! photo. One `SearchVectors` on the vector index `PhotosByLook` finds the [`MAX_TOP_K`] nearest
//! vectors, and one `BatchGetItem` reads as many of their photos as are wanted, with
//! `include=viewer` also the caller's engagements with them, and with `include=people` their
//! owners. Of a photo of several pictures, another `BatchGetItem` reads the vector of the first one, and the list has a
//! photo once, however many of its pictures are near. A photo of another program has no vector, and its list is empty.
//!
//! The index has only photos that everyone may see, so what else looks like the photo cannot show in
//! the list, not even as a gap. A few of them may be gone, or be of owners whom the caller blocks or
//! who block the caller: if the caller is in a block, another `BatchGetItem` reads the blocks. Then
//! the photos that follow are read, up to [`MAX_ROUNDS`] times in total. At most [`MAX_OF_OWNER`]
//! photos are of one owner, so that nobody fills the list with copies. Whoever has a hundred photos
//! nearer than all others still hides the others, until they are removed.
//!
//! `SearchVectors` has no pages, and is [eventually consistent and
//! approximate](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.html):
//! the list may lack a photo that became ready in the last seconds, and now and then one that looks
//! very similar.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use shared::access::Relations;
use shared::dynamodb::Item;
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::entities::{
    Key, Kind, PHOTOS_BY_LOOK, Photo, Picture, Position, has_blocks, photo_from_item, photo_of_vector, vector_of,
};
use shared::http::answer;
use shared::http::extract::{Path, Query};
use shared::http::request::Caller;
use shared::show::{People, ShownPhoto, Signer, add_engagements};
use shared::values::{PhotoId, PhotosParts, SimilarLimit, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The maximum number of photos of one owner in an answer.
const MAX_OF_OWNER: usize = 5;
/// The maximum number of times that photos are read for one answer. Each time after the first, as
/// many are read as a `BatchGetItem` takes, so that all that a search finds can be read.
const MAX_ROUNDS: usize = 4;
/// The maximum number of vectors that a search returns.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_SearchVectors.html>
const MAX_TOP_K: i32 = 100;

/// Photos that look like a photo.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Serialize)]
pub struct SimilarPhotos {
    /// The photos, the most similar first.
    photos: Vec<ShownPhoto>,
    /// The cards of the owners of the photos by username. Empty without `include=people`.
    people: People,
}

/// The route.
pub struct ListSimilarPhotos {
    table: Table,
    feed: Table,
    signer: Signer,
}

impl Route for ListSimilarPhotos {
    const NAME: &'static str = "list-similar-photos";
    const ROUTE: &'static str = "GET /users/{username}/photos/{photo}/similar";
    const SUMMARY: &'static str = "Returns photos that look like a photo, the most similar first.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoPhoto];

    type Input = (Path<Username>, Path<PhotoId>, Query<PhotosParts>, Caller, Query<SimilarLimit>);
    type Body = SimilarPhotos;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), Query(include), caller, Query(limit)): Self::Input,
    ) -> Result<Response<SimilarPhotos>, Error> {
        let Self { table, feed, signer } = self;
        let limit: usize = limit.into();

        let wanted = Position { author: username, id };
        let no_photo = || Error::no_photo(&wanted.author, &wanted.id);
        let [mut found, mut vectors] = read_photo_and_vector(table, feed, &caller.username, &wanted).await?;
        let user = batch::take(&mut found, Key::user(&caller.username));
        let has_blocks = user.as_ref().is_some_and(has_blocks);
        let photo = found.pop().map(photo_from_item).transpose()?.flatten().ok_or_else(no_photo)?;
        let number = photo.picture.as_ref().and_then(Picture::sizes).and_then(|sizes| sizes.number);
        let mut relations = Relations::new(&caller.username);
        relations.add_caller(user.as_ref());
        if has_blocks {
            relations.read_blocks(table, [&wanted.author]).await?;
        }
        relations.read_audiences(table, std::slice::from_ref(&photo)).await?;
        if signer.show(photo, &relations).is_none() {
            return Err(no_photo());
        }
        if number.is_some() {
            vectors = batch::get(feed, [Key::vector(&wanted.author, &wanted.id, number)].into(), false).await?;
        }
        let near = match vectors.pop().and_then(vector_of) {
            Some(vector) => search(feed, vector, &wanted).await?,
            None => vec![],
        };

        let mut list = List { shown: HashMap::new(), engagements: vec![], users: vec![] };
        let (mut left, mut room) = (near.clone(), limit);
        for _ in 0..MAX_ROUNDS {
            let candidates = list.take_candidates(&mut left, room.min(max_photos(include)), &relations);
            if candidates.is_empty() {
                break;
            }
            let [found, engagements] = read_photos(table, feed, &caller.username, &candidates, include).await?;
            if has_blocks {
                relations.read_blocks(table, candidates.iter().map(|photo| &photo.author)).await?;
            }
            list.add(found, engagements, &relations, signer)?;
            if list.shown.len() >= limit {
                break;
            }
            room = MAX_GET_KEYS;
        }
        let List { mut shown, engagements, users } = list;
        let mut photos: Vec<ShownPhoto> = near.iter().filter_map(|near| shown.remove(near)).take(limit).collect();
        if include.viewer {
            add_engagements(&mut photos, engagements)?;
        }
        let mut people = signer.cards(&users)?;
        people.retain(|owner, _| photos.iter().any(|photo| photo.username == *owner));
        answer::ok(&SimilarPhotos { photos, people })
    }
}

/// The photos of an answer that were read so far.
struct List {
    shown: HashMap<Position, ShownPhoto>,
    engagements: Vec<Item>,
    users: Vec<Item>,
}

impl List {
    /// Takes the nearest photos out of those that are left, at most `max`, and so that nobody has
    /// more than [`MAX_OF_OWNER`]. Leaves out people of whom a block is known.
    fn take_candidates(&self, left: &mut Vec<Position>, max: usize, relations: &Relations<'_>) -> Vec<Position> {
        let mut of_owner: HashMap<Username, usize> = HashMap::new();
        for shown in self.shown.keys() {
            *of_owner.entry(shown.author.clone()).or_default() += 1;
        }
        let mut taken = vec![];
        left.retain(|photo| {
            let number = of_owner.entry(photo.author.clone()).or_default();
            let is_taken = taken.len() < max && *number < MAX_OF_OWNER && !relations.hides(&photo.author);
            if is_taken {
                *number += 1;
                taken.push(photo.clone());
            }
            !is_taken
        });
        taken
    }

    /// Adds what was read of candidates: the photos that everyone may see, unless there is a block.
    fn add(
        &mut self,
        found: Vec<Item>,
        engagements: Vec<Item>,
        relations: &Relations<'_>,
        signer: &Signer,
    ) -> Result<(), Error> {
        let (photos, users): (Vec<Item>, Vec<Item>) = found.into_iter().partition(|item| Kind::Photo.is_of(item));
        let photos: Vec<Option<Photo>> = photos.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
        // The index may be some seconds behind.
        let photos =
            photos.into_iter().flatten().filter(|photo| photo.is_public() && !relations.hides(&photo.username));
        let shown = photos.filter_map(|photo| signer.show(photo, relations));
        self.shown.extend(shown.map(|photo| (photo.position(), photo)));
        self.engagements.extend(engagements);
        self.users.extend(users);
        Ok(())
    }
}

/// Returns the number of photos that one `BatchGetItem` reads with what is included.
fn max_photos(include: PhotosParts) -> usize {
    MAX_GET_KEYS / (1 + usize::from(include.people) + usize::from(include.viewer))
}

/// Reads the photo, the caller and the vector of the photo.
async fn read_photo_and_vector(
    table: &Table,
    feed: &Table,
    caller: &Username,
    photo: &Position,
) -> Result<[Vec<Item>; 2], Error> {
    let keys = [Key::photo(&photo.author, &photo.id), Key::user(caller)].into();
    let vector = [Key::vector(&photo.author, &photo.id, None)].into();
    batch::get_from_tables([(table, keys), (feed, vector)], false).await
}

/// Returns the photos whose vectors are nearest to the vector of a photo, without this photo.
async fn search(feed: &Table, vector: Vec<AttributeValue>, photo: &Position) -> Result<Vec<Position>, Error> {
    let output = feed
        .client
        .search_vectors()
        .table_name(&feed.name)
        .index_name(PHOTOS_BY_LOOK)
        .set_search_vector(Some(vector))
        .top_k(MAX_TOP_K)
        .send()
        .await?;
    let results = output.search_results.unwrap_or_default().into_iter();
    let near: Vec<_> =
        results.map(|result| photo_of_vector(&result.item.unwrap_or_default())).collect::<Result<_, _>>()?;
    let mut seen = BTreeSet::from([photo]);
    Ok(near.iter().map(|(near, _)| near).filter(|near| seen.insert(near)).cloned().collect())
}

/// Reads the photos, their owners and the caller's engagements with them, as far as they are asked
/// for.
async fn read_photos(
    table: &Table,
    feed: &Table,
    caller: &Username,
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
            engagements.insert(Key::engagement(caller, author, id));
        }
    }
    batch::get_from_tables([(table, keys), (feed, engagements)], false).await
}
