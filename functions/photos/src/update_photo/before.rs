//! A photo as it was before a patch that depends on it, and what the patch makes of its pictures and vectors.

use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::TransactWriteItem;
use shared::dynamodb::transaction::Transaction;
use shared::dynamodb::{Item, batch, entity};
use shared::entities::{Key, Link, Photo, Picture, Pictures, get_pictures, photo_from_item, place_vector};
use shared::http::fields::Patch;
use shared::values::{CommentId, PhotoId, PictureNumber, Username};
use shared::{Error, Table};

use super::arrange::{self, Arranged};
use super::changes::Changes;

/// A photo with its vectors, its pictures and its link, as they were before a change that depends on them.
pub(super) struct Before {
    pub(super) photo: Option<Photo>,
    vector: Option<Item>,
    pub(super) link: Option<Link>,
    /// The pictures of a photo of several.
    pictures: Option<Pictures>,
    /// The vectors of these, which a change of the audience moves.
    vectors: Vec<(PictureNumber, Option<Item>)>,
}

impl Before {
    pub(super) async fn read(
        table: &Table,
        feed: &Table,
        owner: &Username,
        id: &PhotoId,
        changes: &Changes,
    ) -> Result<Self, Error> {
        let photo_and_link = [Key::photo(owner, id), Key::link(owner, Some(id))].into();
        let vector = [Key::vector(owner, id, None)].into();
        let [mut found, mut vector] = batch::get_from_tables([(table, photo_and_link), (feed, vector)], true).await?;
        let link = batch::take(&mut found, Key::link(owner, Some(id))).map(entity::from_item).transpose()?;
        let photo = found.pop().map(photo_from_item).transpose()?.flatten().filter(|photo| !photo.has_expired());
        let mut before = Self { photo, vector: vector.pop(), link, pictures: None, vectors: vec![] };
        if before.photo.as_ref().is_some_and(|photo| photo.pictures.is_some()) {
            before.pictures = get_pictures(table, owner, id).await?;
        }
        let with_vector = before.pictures.iter().flat_map(|pictures| &pictures.entries);
        let with_vector =
            with_vector.filter(|entry| entry.picture.sizes().is_some() && changes.audience != Patch::Keep);
        let numbers: Vec<PictureNumber> = with_vector.map(|entry| entry.number).collect();
        let key = |number: PictureNumber| Key::vector(owner, id, Some(number));
        let mut found = batch::get(feed, numbers.iter().map(|number| key(*number)).collect(), true).await?;
        before.vectors = numbers.into_iter().map(|number| (number, batch::take(&mut found, key(number)))).collect();
        Ok(before)
    }

    /// Returns what the changes make of several pictures, if they change any.
    pub(super) fn arrange<'a>(&self, changes: &'a Changes) -> Result<Option<Arranged<'a>>, Error> {
        let Some(photo) = &self.photo else { return Ok(None) };
        let Some(pictures) = &self.pictures else {
            return match (&changes.pictures, photo.pictures) {
                (None, _) => Ok(None),
                (Some(_), None) => {
                    Err(Error::invalid("pictures", "must be left out, because the photo was made with one picture"))
                }
                // The photo was deleted between the two reads.
                (Some(_), Some(_)) => Err(Error::no_photo(&photo.username, &photo.id)),
            };
        };
        if let Some(list) = &changes.pictures {
            return Arranged::by_list(photo, pictures, list).map(Some);
        }
        let alt_text = match &changes.texts[1].1 {
            Patch::Keep => return Ok(None),
            Patch::Remove => None,
            Patch::Set(text) => text.as_s().ok().cloned(),
        };
        Ok(Some(Arranged::by_alt_text(photo, pictures, alt_text)))
    }

    /// Adds the writes of the pictures and of the vectors.
    pub(super) fn write(
        &self,
        table: &Table,
        feed: &Table,
        changes: &Changes,
        arranged: Option<&Arranged<'_>>,
        transaction: &mut Transaction,
    ) -> Result<(), Error> {
        let Some((photo, pictures)) = self.photo.as_ref().zip(self.pictures.as_ref()) else {
            if changes.audience != Patch::Keep
                && let Some(vector) = self.place_vector(feed, changes.is_restricted())?
            {
                transaction.add(vector);
            }
            return Ok(());
        };
        let after = arranged.map_or(pictures, |arranged| &arranged.after);
        match arranged {
            Some(arranged) => arranged.write(table, feed, &photo.username, transaction)?,
            None if changes.audience != Patch::Keep => {
                transaction.condition_check(arrange::check_version(table, &photo.username, pictures)?);
            }
            None => {}
        }
        let publishes = arranged.is_some_and(|arranged| arranged.publishes(photo));
        let is_public = match changes.audience {
            Patch::Keep => photo.audience.is_everyone(),
            Patch::Remove | Patch::Set(_) => !changes.is_restricted(),
        };
        let vectors = Some(self.vectors.as_slice()).filter(|_| changes.audience != Patch::Keep);
        if vectors.is_some() || publishes && is_public {
            let is_shown = is_public && (photo.is_ready() || publishes);
            arrange::place_vectors(feed, photo, after, vectors, is_shown, transaction)?;
        }
        Ok(())
    }

    /// Returns the comment that is pinned.
    pub(super) fn pinned_comment(&self) -> Option<&CommentId> {
        self.photo.as_ref()?.pinned_comment.as_ref()
    }

    /// Returns the condition that the photo is still the same, as far as that says where its vector
    /// belongs, and the values of the condition. The vector of a photo that is not ready comes when
    /// the photo is.
    pub(super) fn is_unchanged(&self) -> (&'static str, Vec<(&'static str, AttributeValue)>) {
        let status = match self.photo.as_ref().and_then(|photo| photo.picture.as_ref()) {
            Some(Picture::Ready(_)) => "ready",
            Some(Picture::Removed { sizes: Some(_), .. }) => "removed",
            _ => return ("attribute_not_exists(picture.sizes)", vec![]),
        };
        let mut values = vec![(":status", S(status.to_owned()))];
        match self.photo.as_ref().map(|photo| photo.audience).filter(|audience| !audience.is_everyone()) {
            None => ("picture.#status = :status AND attribute_not_exists(audience)", values),
            Some(audience) => {
                values.push((":before", S(audience.to_string())));
                ("picture.#status = :status AND audience = :before", values)
            }
        }
    }

    /// Returns the write that puts the vector where it belongs.
    fn place_vector(&self, feed: &Table, is_restricted: bool) -> Result<Option<TransactWriteItem>, Error> {
        let has_files = |photo: &&Photo| photo.picture.as_ref().and_then(Picture::sizes).is_some();
        let Some(photo) = self.photo.as_ref().filter(has_files) else { return Ok(None) };
        let is_public = photo.is_ready() && !is_restricted;
        place_vector(feed, &photo.username, &photo.id, None, self.vector.as_ref(), is_public).map(Some)
    }
}
