//! The writes that settle one of several pictures of a photo, and make the photo ready after the last one. Three
//! functions share them.

use aws_sdk_dynamodb::types::AttributeValue::{self, L, N, S};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, Update};
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, batch, entity, unless_condition_failed};
use shared::entities::{
    HIDDEN_VECTOR, Key, MAX_PICTURES_ATTEMPTS, Photo, Picture, PictureEntry, Pictures, count_ready_photo,
    delete_unused, photo_from_item, place_vector, vector_item,
};
use shared::http::problems::PictureProblem;
use shared::values::{EpochMillis, PhotoId, PictureNumber, Username};
use shared::{Bucket, Error, Table};

/// The condition that a photo of several pictures is pending, and that it has not expired.
const IS_PENDING: &str = "picture.#status = :pending AND #ttl > :now AND attribute_exists(pictures)";

/// A photo of several pictures, as one consistent `BatchGetItem` has read it.
#[derive(Debug, Clone)]
pub(crate) struct Several {
    pub(crate) photo: Photo,
    pub(crate) pictures: Pictures,
}

impl Several {
    /// Returns the photo, or `None` if there is none with several pictures.
    pub(crate) async fn read(table: &Table, owner: &Username, id: &PhotoId) -> Result<Option<Self>, Error> {
        let pictures = Key::pictures(owner, id);
        let mut found = batch::get(table, [Key::photo(owner, id), pictures.clone()].into(), true).await?;
        let pictures = batch::take(&mut found, pictures).map(entity::from_item).transpose()?;
        let photo = found.pop().map(photo_from_item).transpose()?.flatten().filter(|photo| photo.pictures.is_some());
        Ok(photo.zip(pictures).map(|(photo, pictures)| Self { photo, pictures }))
    }

    fn is_pending(&self) -> bool {
        self.photo.picture == Some(Picture::Pending) && !self.photo.has_expired()
    }
}

/// Claims a picture for an upload. Returns the photo with the claim, and whether the upload is the first that
/// claims the picture, or `None` if the picture is not pending, or while another upload holds a claim.
pub(crate) async fn claim(
    table: &Table,
    owner: &Username,
    id: &PhotoId,
    number: PictureNumber,
    sequencer: &str,
) -> Result<Option<(Several, bool)>, Error> {
    for _ in 0..MAX_PICTURES_ATTEMPTS {
        let read = Several::read(table, owner, id).await?.filter(Several::is_pending);
        let Some(Several { photo, pictures }) = read else { return Ok(None) };
        let is_first = pictures.get(number).is_some_and(|entry| entry.claim.is_none());
        let Some(pictures) = pictures.claimed(number, sequencer) else { return Ok(None) };
        let Put { item, condition_expression, expression_attribute_values, .. } = pictures.put(&table.name, owner)?;
        let put = table
            .client
            .put_item()
            .table_name(&table.name)
            .set_item(Some(item))
            .set_condition_expression(condition_expression)
            .set_expression_attribute_values(expression_attribute_values);
        if unless_condition_failed(put.send().await)?.is_some() {
            return Ok(Some((Several { photo, pictures }, is_first)));
        }
    }
    Err(too_many_writers())
}

/// A picture that is settled: ready with its vector, or rejected.
pub(crate) enum Settled<'a> {
    /// The picture is ready. Its vector belongs into this table.
    Ready(Picture, &'a Table, &'a [i8]),
    /// The picture is rejected, unless another upload than the one with this sequencer holds a claim.
    Rejected(Picture, Option<&'a str>),
}

/// Settles a picture. The same transaction makes the photo ready if it was the last one. Returns whether the
/// picture was still pending.
pub(crate) async fn settle(
    table: &Table,
    mut read: Several,
    number: PictureNumber,
    settled: &Settled<'_>,
) -> Result<bool, Error> {
    let (owner, id) = (read.photo.username.clone(), read.photo.id.clone());
    for _ in 0..MAX_PICTURES_ATTEMPTS {
        let after = match settled {
            Settled::Ready(picture, ..) => read.pictures.settled(number, picture.clone(), None),
            Settled::Rejected(picture, sequencer) => read.pictures.settled(number, picture.clone(), *sequencer),
        };
        let Some(after) = after.filter(|_| read.is_pending()) else { return Ok(false) };
        let mut transaction = Transaction::new();
        transaction.put(after.put(&table.name, &owner)?);
        let mut counted = None;
        match settled {
            Settled::Ready(_, feed, vector) => {
                let is_shown = after.are_ready() && read.photo.audience.is_everyone();
                let item = vector_item(&owner, &id, Some(number), vector, is_shown);
                transaction.put(Put::builder().table_name(&feed.name).set_item(Some(item)).build()?);
                if after.are_ready() {
                    transaction.update(publish(table, &read.photo, &after)?);
                    counted = Some(transaction.update(count_ready_photo(&table.name, &owner)?));
                    let others = after.entries.iter().filter(|entry| entry.number != number);
                    show_vectors(feed, &read.photo, others, &mut transaction)?;
                } else {
                    transaction.condition_check(check_pending(table, &owner, &id)?);
                }
            }
            Settled::Rejected(..) => drop(transaction.update(copy_text(table, &read.photo, &after)?)),
        }
        match transaction.write(&table.client).await? {
            Outcome::Committed => return Ok(true),
            // finish-deletion deletes the photos and the files of a deleted owner.
            Outcome::ConditionFailed(failed) if failed.contains(counted) => return Ok(false),
            Outcome::ConditionFailed(_) => {}
        }
        let Some(again) = Several::read(table, &owner, &id).await? else { return Ok(false) };
        read = again;
    }
    Err(too_many_writers())
}

/// Rejects a picture whose uploaded file no attempt could process, unless another upload holds a claim, and
/// deletes the file and what process-photo has stored without showing it.
pub(crate) async fn reject_unprocessed(
    table: &Table,
    bucket: &Bucket,
    (owner, id, number): (&Username, &PhotoId, PictureNumber),
    (key, sequencer): (&str, &str),
) -> Result<(), Error> {
    if let Some(read) = Several::read(table, owner, id).await? {
        let rejected = Picture::Rejected { problem: PictureProblem::PictureDamaged, reason: None };
        settle(table, read, number, &Settled::Rejected(rejected, Some(sequencer))).await?;
    }
    delete_unused(table, bucket, owner, id, Some(number), key).await
}

/// Adds the updates that put the vectors of pictures that become visible to everyone into the index. While a
/// photo is pending, they are hidden.
pub(crate) fn show_vectors<'a>(
    feed: &Table,
    photo: &Photo,
    entries: impl IntoIterator<Item = &'a PictureEntry>,
    transaction: &mut Transaction,
) -> Result<(), Error> {
    let shown = entries.into_iter().filter(|entry| photo.audience.is_everyone() && entry.shown().is_some());
    for entry in shown {
        let hidden = Item::from([(HIDDEN_VECTOR.to_owned(), L(vec![]))]);
        transaction.add(place_vector(feed, &photo.username, &photo.id, Some(entry.number), Some(&hidden), true)?);
    }
    Ok(())
}

/// Returns the update that makes a photo ready, on the condition that it is pending, and for everyone or not
/// as it was read. It does not expire any more.
fn publish(table: &Table, photo: &Photo, after: &Pictures) -> Result<Update, Error> {
    // The audience `everyone` has no attribute.
    let audience = if photo.audience.is_everyone() { "attribute_not_exists" } else { "attribute_exists" };
    let picture = after.copy(&Picture::Pending);
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&photo.username, &photo.id).into()))
        .condition_expression(format!("{IS_PENDING} AND {audience}(audience)"))
        .update_expression("SET picture = :picture, pictures = :count REMOVE #ttl, unready")
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pending", pending())
        .expression_attribute_values(":now", now())
        .expression_attribute_values(":picture", serde_dynamo::to_attribute_value(picture)?)
        .expression_attribute_values(":count", N(after.count().to_string()));
    Ok(update.build()?)
}

/// Returns the update that gives a photo the text alternative of its first picture, on the condition that it is
/// pending. A rejected picture is not the first one any more.
fn copy_text(table: &Table, photo: &Photo, after: &Pictures) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(&photo.username, &photo.id).into()))
        .condition_expression(IS_PENDING)
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pending", pending())
        .expression_attribute_values(":now", now());
    let update = match after.first().and_then(|first| first.alt_text.clone()) {
        None => update.update_expression("REMOVE altText"),
        Some(text) => update.update_expression("SET altText = :text").expression_attribute_values(":text", S(text)),
    };
    Ok(update.build()?)
}

fn check_pending(table: &Table, owner: &Username, id: &PhotoId) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::photo(owner, id).into()))
        .condition_expression(IS_PENDING)
        .expression_attribute_names("#status", "status")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pending", pending())
        .expression_attribute_values(":now", now());
    Ok(check.build()?)
}

fn pending() -> AttributeValue {
    S("pending".to_owned())
}

fn now() -> AttributeValue {
    N(EpochMillis::now().seconds().to_string())
}

fn too_many_writers() -> Error {
    Error::Busy("other pictures of the photo changed during each attempt".into())
}
