//! Tells followers who have asked for it of a new photo: writes an [`Alert`] for each of them, of which
//! the inbox and a push tell.
//!
//! **A photo that the followers can see from now on**, because it is ready and not for its owner alone,
//! is told unless its id is older than an hour ([`MAX_ALERT_AGE_SECONDS`]):
//!
//! - A `Query` of `AlertsByAuthor` finds the followers with alerts. Most authors have none, which ends
//!   the work. With more than 1,000 of them, the photo waits for its turn in the queue of the alerts.
//! - A consistent `GetItem` reads the photo, which may be gone by now.
//! - `BatchWriteItem` puts 25 alerts, up to 16 of them at the same time.
//! - Another `GetItem` reads the photo. If it was deleted meanwhile, the alerts are deleted again.
//!
//! **A photo that is deleted** takes its alerts along: a `Query` of `InvertedIndex` finds them, and
//! `BatchWriteItem` deletes them. So the inboxes lose them in the same way as they got them. A photo that
//! is hidden keeps its alerts, which no inbox shows then, so that nobody is told twice if it is shown
//! again.
//!
//! **Each step may be repeated**, and in any order: an alert that is written twice is the same item, and
//! the steps look at the photo and not at the record. Every alert expires with its notification, also one
//! that the index did not show in time.
//!
//! A follower who has just unfollowed or muted the author may get an alert. The inbox and send-push leave
//! it out.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::WriteRequest;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Deserialize;
use shared::Error;
use shared::changes::{Context, Progress, Work};
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{
    Alert, INVERTED_INDEX, Key, Kind, MAX_ALERT_AGE_SECONDS, Photo, Position, alert_sk, alert_topic, alerted_user,
    get_photo, photo_from_item, query_alerted,
};
use shared::runtime::stream::Record;
use shared::values::{EpochMillis, Username};

/// The maximum number of requests that write the alerts of one photo at the same time.
const MAX_CONCURRENT_REQUESTS: usize = 16;

/// An entry of `AlertsByAuthor`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Alerted {
    following_user: Username,
}

/// Returns the work that follows from the changes of photos.
#[must_use]
pub fn work<'a>(context: &'a Context, records: &'a [Record]) -> Vec<Work<'a>> {
    let photos = records.iter().filter(|record| Kind::Photo.is_of(&record.keys));
    photos.map(|record| Work::in_steps(vec![record.id.clone()], update(context, record))).collect()
}

/// Writes or deletes the alerts of a photo after its change.
async fn update(context: &Context, Record { old_image, new_image, .. }: &Record) -> Result<Progress, Error> {
    let (old, new) = (photo(old_image)?, photo(new_image)?);
    let now = EpochMillis::now().seconds();
    match (old, new) {
        (Some(old), None) if alert_topic(&position(&old)).expiry() > now => {
            take_back(context, &position(&old)).await?;
            Ok(Progress::Done)
        }
        (old, Some(new)) if new.reaches_followers() && !old.as_ref().is_some_and(Photo::reaches_followers) => {
            let is_news = new.id.time().seconds() + MAX_ALERT_AGE_SECONDS > now;
            if is_news { tell(context, &position(&new)).await } else { Ok(Progress::Done) }
        }
        _ => Ok(Progress::Done),
    }
}

/// Writes the alerts of a photo.
async fn tell(context: &Context, position: &Position) -> Result<Progress, Error> {
    let Context { table, max_pushed_at_once: max, .. } = context;
    // One more than the maximum tells that there are too many. The queue has no maximum.
    let limit = i32::try_from(max.saturating_add(1)).ok();
    let mut pages = query_alerted(table, &position.author).set_limit(limit).into_paginator().send();
    let mut number = 0;
    while let Some(page) = pages.try_next().await? {
        let followers: Vec<Alerted> = entity::from_items(page.items.unwrap_or_default())?;
        if followers.is_empty() {
            continue;
        }
        let is_first = number == 0;
        number += followers.len() as u64;
        if number > *max {
            return Ok(Progress::Later);
        }
        if is_first
            && !get_photo(table, &position.author, &position.id).await?.as_ref().is_some_and(Photo::reaches_followers)
        {
            return Ok(Progress::Done);
        }
        let alerts = followers.into_iter().map(|one| Alert::new(one.following_user, position).item());
        let puts = alerts.map(|alert| batch::put(alert?)).collect::<Result<_, _>>()?;
        write(context, puts).await?;
    }
    if number > 0 && get_photo(table, &position.author, &position.id).await?.is_none() {
        take_back(context, position).await?;
    }
    Ok(Progress::Done)
}

/// Deletes the alerts of a photo that the index shows.
async fn take_back(context: &Context, position: &Position) -> Result<(), Error> {
    let alerts = context
        .table
        .client
        .query()
        .table_name(&context.table.name)
        .index_name(INVERTED_INDEX)
        .key_condition_expression("SK = :alert")
        .expression_attribute_values(":alert", S(alert_sk(position)));
    let mut pages = alerts.into_paginator().send();
    while let Some(page) = pages.try_next().await? {
        let keys =
            page.items.unwrap_or_default().into_iter().map(|entry| Ok(Key::alert(&alerted_user(&entry)?, position)));
        let deletes = keys.map(|key: Result<Key, Error>| batch::delete(key?)).collect::<Result<_, _>>()?;
        write(context, deletes).await?;
    }
    Ok(())
}

/// Sends writes of alerts, 25 in a request.
async fn write(Context { table, .. }: &Context, requests: Vec<WriteRequest>) -> Result<(), Error> {
    let batches = requests.chunks(batch::MAX_WRITE_ITEMS).map(|batch| batch::write(table, batch.to_vec()));
    stream::iter(batches).buffer_unordered(MAX_CONCURRENT_REQUESTS).try_collect().await
}

/// Returns the photo of an image, or `None` if there is none or a tombstone.
fn photo(image: &Item) -> Result<Option<Photo>, Error> {
    if image.is_empty() { Ok(None) } else { photo_from_item(image.clone()) }
}

fn position(photo: &Photo) -> Position {
    Position { id: photo.id.clone(), author: photo.username.clone() }
}
