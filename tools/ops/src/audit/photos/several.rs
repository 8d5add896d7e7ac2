//! The pictures of photos that were made with several: their item, and whether the photo repeats the first one.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::builders::ConditionCheckBuilder;
use shared::Table;
use shared::dynamodb::Item;
use shared::entities::object::{Size, picture_key};
use shared::entities::{Key, Photo, Picture, PictureEntry, Pictures, Position};
use shared::values::{PictureId, PictureNumber};

use super::decisions::Decided;
use super::entity::{Entity, PictureState};
use super::user_state::{UserState, user_state};
use crate::audit::error::Error;
use crate::audit::finding::{PhotosFinding, PicturesFault};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_part, update, update_part, write};

/// The copy that a photo has of the first one of its several pictures.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CopyOfFirst {
    /// The first picture.
    picture: Picture,
    alt_text: Option<String>,
    /// The number of pictures.
    number: u32,
}

impl CopyOfFirst {
    /// Returns what a photo repeats, if it was made with several pictures.
    pub(super) fn of(photo: &Photo) -> Option<Box<Self>> {
        let number = photo.pictures?;
        Some(Box::new(Self { picture: photo.picture.clone()?, alt_text: photo.alt_text.clone(), number }))
    }

    /// Returns what the photo has to repeat.
    fn after(&self, pictures: &Pictures) -> Self {
        let alt_text = pictures.first().and_then(|first| first.alt_text.clone());
        Self { picture: pictures.copy(&self.picture), alt_text, number: pictures.count() }
    }
}

/// The two halves of a photo that was made with several pictures.
#[derive(Debug, Default)]
pub(super) struct Several {
    pub(super) copy: Option<Box<CopyOfFirst>>,
    pub(super) pictures: Option<Pictures>,
    /// Whether the list of objects has each size of a picture, in the order of [`Size::ALL`].
    has_objects: HashMap<PictureNumber, [bool; Size::ALL.len()]>,
}

impl Several {
    /// Returns how the two halves disagree.
    pub(super) fn fault(&self) -> Option<PicturesFault> {
        match (self.copy.as_deref(), &self.pictures) {
            (None, None) => None,
            (None, Some(_)) => Some(PicturesFault::NoPhoto),
            (Some(_), None) => Some(PicturesFault::NoPictures),
            (Some(copy), Some(pictures)) if copy.picture == Picture::Pending && pictures.are_ready() => {
                Some(PicturesFault::NotPublished)
            }
            (Some(copy), Some(pictures)) => (*copy != copy.after(pictures)).then_some(PicturesFault::Copy),
        }
    }

    /// Returns whether the pictures that a moderator has removed are those of a report, without what the owner has
    /// removed since.
    pub(super) fn agrees_with(&self, report: Option<&Decided>) -> bool {
        let is_reported = |number| report.is_some_and(|report| report.pictures.contains(number));
        let mut entries = self.pictures.iter().flat_map(|pictures| &pictures.entries);
        entries.all(|entry| matches!(entry.picture, Picture::Removed { .. }) == is_reported(&entry.number))
    }

    /// Returns the state of a picture of a photo that shows `picture`, or `None` if there is no such picture.
    pub(super) fn state(&self, number: PictureNumber, picture: &PictureState) -> Option<PictureState> {
        self.pictures.as_ref()?.get(number).cloned().map(|entry| state(entry, picture))
    }

    /// Takes note of an object of a picture.
    pub(super) fn add_object(&mut self, photo: &Position, (number, id): (PictureNumber, &PictureId), key: &str) {
        let found = self.has_objects.entry(number).or_default();
        for (size, has_object) in Size::ALL.into_iter().zip(found) {
            *has_object |= key == picture_key(&photo.author, &photo.id, Some(number), id, size);
        }
    }

    /// Returns whether the list of objects lacks a size of a picture.
    pub(super) fn lacks_object(&self) -> bool {
        let entries = self.pictures.iter().flat_map(|pictures| &pictures.entries);
        entries.filter_map(|entry| entry.picture.sizes()).any(|sizes| {
            let found = sizes.number.and_then(|number| self.has_objects.get(&number)).copied().unwrap_or_default();
            found[..Size::of_picture(sizes.width).count()].contains(&false)
        })
    }
}

/// Returns a photo that was made with several pictures, if it exists and agrees with them.
pub(super) async fn of_photo(table: &Table, photo: &Position) -> Result<Option<Several>, Error> {
    Ok(halves(table, photo).await?.filter(|several| several.copy.is_some() && several.fault().is_none()))
}

/// Reads the two halves of a photo. Returns `None` if the photo is being deleted or is malformed, or if the pictures
/// are. A transaction writes both, so the pictures are read again after the photo.
async fn halves(table: &Table, photo: &Position) -> Result<Option<Several>, Error> {
    let before = pictures_of(table, photo).await?;
    let copy = match read::entity(table, Key::photo(&photo.author, &photo.id)).await? {
        None => None,
        Some(Ok(Entity::Photo { photo, .. })) => CopyOfFirst::of(&photo),
        Some(Ok(Entity::PhotoDeletion { deletion, .. })) if deletion.ttl.is_some() => None,
        Some(_) => return Ok(None),
    };
    let after = pictures_of(table, photo).await?;
    let (Ok(before), Ok(pictures)) = (before, after) else { return Ok(None) };
    Ok((before == pictures).then(|| Several { copy, pictures, ..Several::default() }))
}

/// Returns the pictures of a photo that was made with several, or an error if they are malformed.
pub(in crate::audit::photos) async fn pictures_of(
    table: &Table,
    photo: &Position,
) -> Result<anyhow::Result<Option<Pictures>>, Error> {
    Ok(match read::entity(table, Key::pictures(&photo.author, &photo.id)).await? {
        None => Ok(None),
        Some(Ok(Entity::Pictures { pictures, .. })) => Ok(Some(pictures)),
        Some(Ok(_)) => Err(anyhow::anyhow!("it is another entity")),
        Some(Err(error)) => Err(error),
    })
}

/// Returns the pictures of a photo at this moment, with their numbers if there are several, or `None` if they are
/// malformed.
pub(super) async fn states(
    table: &Table,
    photo: Photo,
) -> Result<Option<Vec<(Option<PictureNumber>, PictureState)>>, Error> {
    let picture = PictureState::from(photo.picture);
    if photo.pictures.is_none() {
        return Ok(Some(vec![(None, picture)]));
    }
    let state = |entry: PictureEntry| (Some(entry.number), state(entry, &picture));
    let pictures = pictures_of(table, &Position { id: photo.id, author: photo.username }).await?.ok();
    Ok(pictures.map(|found| found.into_iter().flat_map(|pictures| pictures.entries).map(state).collect()))
}

/// Returns the state of one of several pictures. A moderator can have rejected the photo while it was pending.
fn state(entry: PictureEntry, of_photo: &PictureState) -> PictureState {
    match PictureState::from(Some(entry.picture)) {
        PictureState::Pending if *of_photo != PictureState::Pending => PictureState::Rejected,
        state => state,
    }
}

/// Returns how a photo and its pictures disagree.
pub(super) async fn inspect(table: &Table, photo: &Position) -> Result<Option<PhotosFinding>, Error> {
    // finish-deletion deletes both of a deleted user, and what an unknown user has is one finding.
    if user_state(table, &photo.author).await? != UserState::Present {
        return Ok(None);
    }
    let fault = halves(table, photo).await?.and_then(|several| several.fault());
    Ok(fault.map(|fault| PhotosFinding::Pictures { photo: photo.clone(), fault }))
}

/// Deletes pictures without a photo, or lets the photo repeat the first one. Another writer of the pictures gives
/// them another version.
pub(super) async fn repair(table: &Table, photo: &Position, fault: PicturesFault) -> Result<bool, Error> {
    let Some(several) = halves(table, photo).await?.filter(|several| several.fault() == Some(fault)) else {
        return Ok(false);
    };
    let Some(pictures) = several.pictures else { return Ok(false) };
    let Some(copy) = several.copy else {
        let delete = delete(table, Key::pictures(&photo.author, &photo.id))
            .condition_expression("version = :version")
            .expression_attribute_values(":version", N(pictures.version.to_string()));
        let photo = check(table, Key::photo(&photo.author, &photo.id))
            .condition_expression(
                "attribute_not_exists(pictures) OR (attribute_exists(erasing) AND attribute_exists(#ttl))",
            )
            .expression_attribute_names("#ttl", "ttl");
        return write(table, vec![delete_part(delete)?, check_part(photo)?]).await;
    };
    let after = copy.after(&pictures);
    let values: Item = serde_dynamo::to_item(serde_json::json!({":picture": after.picture, ":number": after.number}))?;
    let text = if after.alt_text.is_some() { ", altText = :text" } else { " REMOVE altText" };
    let update = update(table, Key::photo(&photo.author, &photo.id))
        .condition_expression("attribute_exists(pictures) AND picture.#status = :status")
        .update_expression(format!("SET picture = :picture, pictures = :number{text}"))
        .expression_attribute_names("#status", "status")
        .set_expression_attribute_values(Some(values))
        .expression_attribute_values(":status", S(status(&copy.picture).to_owned()));
    let update = match after.alt_text {
        Some(text) => update.expression_attribute_values(":text", S(text)),
        None => update,
    };
    let unchanged = unchanged(check(table, Key::pictures(&photo.author, &photo.id)), Some(&pictures));
    write(table, vec![update_part(update)?, check_part(unchanged)?]).await
}

/// Adds the condition that pictures still have their version, or still do not exist.
pub(super) fn unchanged(check: ConditionCheckBuilder, pictures: Option<&Pictures>) -> ConditionCheckBuilder {
    match pictures {
        None => check.condition_expression("attribute_not_exists(PK)"),
        Some(pictures) => check
            .condition_expression("version = :version")
            .expression_attribute_values(":version", N(pictures.version.to_string())),
    }
}

/// Returns the `status` of the attribute of a picture.
const fn status(picture: &Picture) -> &'static str {
    match picture {
        Picture::Pending => "pending",
        Picture::Ready(_) => "ready",
        Picture::Rejected { .. } => "rejected",
        Picture::Removed { .. } => "removed",
    }
}
