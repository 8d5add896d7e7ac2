//! `GET /users/{username}/photos/{timestamp}/similar`: returns photos that look like a photo, the
//! most similar first.
//!
//! One `BatchGetItem` reads the photo and the caller, and from `<stage>.Feed` the vector of the
//! photo. One `SearchVectors` on the vector index `PhotosByLook` finds the nearest vectors, and one
//! `BatchGetItem` reads their photos, with `include=viewer` also the caller's engagements with
//! them, and with `include=people` their owners. A photo without a vector, which is older than the
//! vectors, has an empty list.
//!
//! The index does not tell who may see a photo, so the function searches for
//! [`CANDIDATES_PER_PHOTO`] times as many vectors as it returns photos, and leaves out those that
//! the caller may not see and those that were deleted. If the caller blocks anybody, or anybody
//! blocks the caller, another `BatchGetItem` reads the blocks between the caller and the owners,
//! and if only followers see one of the photos, another one reads the friendships.
//!
//! `SearchVectors` has no pages, and is [eventually consistent and
//! approximate](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/VectorSearch.html):
//! the list may lack a photo that became ready in the last seconds, and now and then one that looks
//! very similar.

use std::collections::{BTreeSet, HashMap};

use aws_sdk_dynamodb::types::AttributeValue::{self, L};
use serde::Serialize;
use shared::dynamodb::Item;
use shared::dynamodb::batch::{self, MAX_GET_KEYS};
use shared::feed::{self, PHOTOS_BY_LOOK, Position, VECTOR, photo_of_vector};
use shared::http::answer;
use shared::http::request::{Caller, path, query};
use shared::photos::{Key, People, Photo, Relations, has_blocks, photo_from_item};
use shared::pictures::{PictureState, ShownPhoto, Signer, add_engagements};
use shared::values::{PhotosParts, SimilarLimit, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The number of vectors that are searched for each photo of the answer. Fewer photos than `limit`
/// are in the answer if the caller may not see more than half of the vectors found.
const CANDIDATES_PER_PHOTO: usize = 2;
/// The maximum number of vectors that a search returns.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_SearchVectors.html>
const MAX_TOP_K: usize = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let signer = Signer::from_environment()?;
    let feed = std::env::var("FEED_TABLE_NAME").map_err(|_| "FEED_TABLE_NAME is not set")?;
    shared::run_with_query(&["include", "limit"], |table: Table, request| {
        let feed = table.other(&feed);
        list_similar_photos(table, feed, request, &signer)
    })
    .await
}

/// The body of the answer.
#[derive(Serialize)]
struct SimilarPhotos {
    photos: Vec<ShownPhoto>,
    /// The owners of the photos by username. Only with `include=people`.
    #[serde(skip_serializing_if = "Option::is_none")]
    people: Option<People>,
}

async fn list_similar_photos(
    table: Table,
    feed: Table,
    request: Request,
    signer: &Signer,
) -> Result<Response<SimilarPhotos>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let include = query::<PhotosParts>(&request, "include")?.unwrap_or_default();
    let limit: usize = query::<SimilarLimit>(&request, "limit")?.unwrap_or_default().into();
    let caller = Caller::from_request(&request)?;

    let wanted = Position { author: username, timestamp };
    let no_photo = || Error::no_photo(&wanted.author, &wanted.timestamp);
    let [mut found, mut vectors] = read_photo_and_vector(&table, &feed, &caller.username, &wanted).await?;
    let has_blocks = batch::take(&mut found, Key::user(&caller.username)).is_some_and(|item| has_blocks(&item));
    let photo = found.pop().map(photo_from_item).transpose()?.flatten().ok_or_else(no_photo)?;
    let near = match vectors.pop().and_then(|mut item| item.remove(VECTOR)) {
        Some(L(vector)) => search(&feed, vector, &wanted, limit, include).await?,
        _ => vec![],
    };

    let [mut found, engagements] = read_photos(&table, &feed, &caller.username, &near, include).await?;
    let owners: BTreeSet<&Username> = near.iter().map(|near| &near.author).collect();
    let users: Vec<Item> = owners.iter().filter_map(|owner| batch::take(&mut found, Key::user(owner))).collect();
    let found: Vec<Option<Photo>> = found.into_iter().map(photo_from_item).collect::<Result<_, _>>()?;
    let photos: Vec<Photo> = found.into_iter().flatten().chain([photo]).collect();
    let mut relations = Relations::new(&caller.username);
    if has_blocks {
        relations.read_blocks(&table, owners.into_iter().chain([&wanted.author])).await?;
    }
    relations.read_audiences(&table, &photos).await?;
    let shown = photos.into_iter().filter_map(|photo| signer.show(photo, &relations));
    let mut shown: HashMap<Position, ShownPhoto> = shown.map(|photo| (photo.position(), photo)).collect();
    if !shown.contains_key(&wanted) {
        return Err(no_photo());
    }

    let photos = near.iter().filter_map(|near| shown.remove(near));
    // The owner sees a removed photo elsewhere.
    let photos = photos.filter(|photo| photo.status == PictureState::Ready && !relations.hides(&photo.username));
    let mut photos: Vec<ShownPhoto> = photos.take(limit).collect();
    if include.viewer {
        add_engagements(&mut photos, engagements)?;
    }
    let people = include.people.then(|| signer.cards(&users)).transpose()?.map(|mut people| {
        people.retain(|owner, _| photos.iter().any(|photo| photo.username == *owner));
        people
    });
    answer::ok(&SimilarPhotos { photos, people })
}

/// Reads the photo, the caller and the vector of the photo.
async fn read_photo_and_vector(
    table: &Table,
    feed: &Table,
    caller: &Username,
    photo: &Position,
) -> Result<[Vec<Item>; 2], Error> {
    let keys = vec![Key::photo(&photo.author, &photo.timestamp).into(), Key::user(caller).into()];
    let vector = vec![feed::Key::vector(&photo.author, &photo.timestamp).into()];
    batch::get_from_tables([(table, keys), (feed, vector)], false).await
}

/// Returns the photos whose vectors are nearest to the vector of a photo, without this photo.
async fn search(
    feed: &Table,
    vector: Vec<AttributeValue>,
    photo: &Position,
    limit: usize,
    include: PhotosParts,
) -> Result<Vec<Position>, Error> {
    let keys_of_photo = 1 + usize::from(include.people) + usize::from(include.viewer);
    let candidates = (limit * CANDIDATES_PER_PHOTO).min(MAX_GET_KEYS / keys_of_photo);
    // The nearest vector is that of the photo itself.
    let top = (candidates + 1).min(MAX_TOP_K);
    let output = feed
        .client
        .search_vectors()
        .table_name(&feed.name)
        .index_name(PHOTOS_BY_LOOK)
        .set_search_vector(Some(vector))
        .top_k(i32::try_from(top).map_err(Error::internal)?)
        .send()
        .await?;
    let results = output.search_results.unwrap_or_default().into_iter();
    let near: Vec<Position> =
        results.map(|result| photo_of_vector(&result.item.unwrap_or_default())).collect::<Result<_, _>>()?;
    Ok(near.into_iter().filter(|near| near != photo).take(candidates).collect())
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
    let mut keys: BTreeSet<Key> = BTreeSet::new();
    let mut engagements = vec![];
    for Position { author, timestamp } in photos {
        keys.insert(Key::photo(author, timestamp));
        if include.people {
            keys.insert(Key::user(author));
        }
        if include.viewer {
            engagements.push(feed::Key::engagement(caller, author, timestamp).into());
        }
    }
    let keys = keys.into_iter().map(Item::from).collect();
    batch::get_from_tables([(table, keys), (feed, engagements)], false).await
}
