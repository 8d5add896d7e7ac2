//! The several pictures of a photo after a patch.

use aws_sdk_dynamodb::types::AttributeValue::{L, N};
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put};
use shared::dynamodb::transaction::Transaction;
use shared::dynamodb::{Item, entity};
use shared::entities::{HIDDEN_VECTOR, Key, Photo, Picture, PictureDeletion, PictureEntry, Pictures, place_vector};
use shared::http::extract::FromFields;
use shared::http::fields::Fields;
use shared::values::{PictureNumber, Timestamp, Username};
use shared::{Error, Table};

use crate::new_picture::NewPicture;

/// An entry of `pictures` in a patch: a picture that stays, by its number, or a new one.
pub(super) struct Wanted {
    number: Option<PictureNumber>,
    picture: NewPicture,
}

impl FromFields for Wanted {
    fn from_fields(fields: &mut Fields) -> Result<Self, Error> {
        fields.excludes("number", &["format", "upload", "bytes", "sha256"]);
        let (picture, number) = NewPicture::take(fields, |fields| {
            let number = fields.optional::<PictureNumber>("number");
            fields.finish()?;
            number
        })?;
        Ok(Self { number, picture })
    }
}

/// Several pictures of a photo after a patch.
pub(super) struct Arranged<'a> {
    pub(super) after: Pictures,
    /// The pictures that the patch leaves out.
    removed: Vec<PictureEntry>,
    /// The pictures that the patch adds.
    pub(super) new: Vec<(PictureNumber, &'a NewPicture)>,
    /// The copy of the first picture that the photo has.
    pub(super) picture: Picture,
    /// Whether a text alternative of a picture that stays is another one.
    pub(super) has_other_texts: bool,
}

impl<'a> Arranged<'a> {
    /// Returns the pictures in the order of a list, which has all that stay.
    pub(super) fn by_list(photo: &Photo, before: &Pictures, list: &'a [Wanted]) -> Result<Self, Error> {
        let is_pending = photo.picture == Some(Picture::Pending);
        let mut after = before.next_version();
        let mut left = std::mem::take(&mut after.entries);
        let mut new = vec![];
        let mut has_other_texts = false;
        for (index, Wanted { number, picture }) in list.iter().enumerate() {
            let alt_text = picture.alt_text.as_ref().map(ToString::to_string);
            let Some(number) = number else {
                let added = after.push(alt_text).filter(|_| is_pending);
                let rule = "must be given, because only a pending photo takes new pictures";
                new.push((added.ok_or_else(|| Error::invalid(format!("pictures[{index}].number"), rule))?, picture));
                continue;
            };
            let Some(position) = left.iter().position(|entry| entry.number == *number) else {
                let rule = "must be the number of a picture of the photo, and only once";
                return Err(Error::invalid(format!("pictures[{index}].number"), rule));
            };
            let entry = left.remove(position);
            has_other_texts |= entry.alt_text != alt_text;
            after.entries.push(PictureEntry { alt_text, ..entry });
        }
        if !is_pending && !after.entries.iter().any(|entry| entry.shown().is_some()) {
            return Err(Error::invalid("pictures", "must keep at least one picture that is shown"));
        }
        Ok(Self::new(photo, after, left, new, has_other_texts))
    }

    /// Returns the pictures with another text alternative of the first one.
    pub(super) fn by_alt_text(photo: &Photo, before: &Pictures, alt_text: Option<String>) -> Self {
        let mut after = before.next_version();
        let first = after.first().map(|first| first.number);
        if let Some(first) = after.entries.iter_mut().find(|entry| Some(entry.number) == first) {
            first.alt_text = alt_text;
        }
        Self::new(photo, after, vec![], vec![], false)
    }

    fn new(
        photo: &Photo,
        after: Pictures,
        removed: Vec<PictureEntry>,
        new: Vec<(PictureNumber, &'a NewPicture)>,
        has_other_texts: bool,
    ) -> Self {
        let picture = after.copy(photo.picture.as_ref().unwrap_or(&Picture::Pending));
        Self { after, removed, new, picture, has_other_texts }
    }

    /// Returns the text alternative of the photo, which is that of the first picture.
    pub(super) fn alt_text(&self) -> Option<&String> {
        self.after.first()?.alt_text.as_ref()
    }

    /// Returns whether the photo, which was pending, is ready now.
    pub(super) fn publishes(&self, photo: &Photo) -> bool {
        photo.picture == Some(Picture::Pending) && matches!(self.picture, Picture::Ready(_))
    }

    /// Adds the writes of the pictures, and of what is left of those that the patch leaves out.
    pub(super) fn write(
        &self,
        table: &Table,
        feed: &Table,
        owner: &Username,
        transaction: &mut Transaction,
    ) -> Result<(), Error> {
        let id = &self.after.id;
        transaction.put(self.after.put(&table.name, owner)?);
        for PictureEntry { number, picture, .. } in &self.removed {
            // finish-deletion deletes the files.
            let (erasing, id) = (owner.clone(), id.clone());
            let deletion = PictureDeletion { erasing, id, number: *number, since: Timestamp::now() };
            let item = entity::to_item(Key::picture_deletion(owner, &deletion.id, *number), &deletion)?;
            transaction.put(Put::builder().table_name(&table.name).set_item(Some(item)).build()?);
            if picture.sizes().is_some() {
                let vector = Key::vector(owner, &deletion.id, Some(*number));
                transaction.delete(Delete::builder().table_name(&feed.name).set_key(Some(vector.into())).build()?);
            }
        }
        Ok(())
    }
}

/// Returns the check that the pictures are still those that were read.
pub(super) fn check_version(table: &Table, owner: &Username, pictures: &Pictures) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder()
        .table_name(&table.name)
        .set_key(Some(Key::pictures(owner, &pictures.id).into()))
        .condition_expression("version = :version")
        .expression_attribute_values(":version", N(pictures.version.to_string()));
    Ok(check.build()?)
}

/// Adds the writes that put the vector of each picture where it belongs: into the index if the photo is public
/// and the picture is shown. `vectors` are those that were read. Without them, all are hidden, as those of
/// a pending photo.
pub(super) fn place_vectors(
    feed: &Table,
    photo: &Photo,
    pictures: &Pictures,
    vectors: Option<&[(PictureNumber, Option<Item>)]>,
    is_public: bool,
    transaction: &mut Transaction,
) -> Result<(), Error> {
    let hidden = Item::from([(HIDDEN_VECTOR.to_owned(), L(vec![]))]);
    for entry in pictures.entries.iter().filter(|entry| entry.picture.sizes().is_some()) {
        let read = match vectors {
            None => Some(&hidden),
            Some(vectors) => vectors.iter().find(|(number, _)| *number == entry.number).and_then(|(_, it)| it.as_ref()),
        };
        let is_shown = is_public && entry.shown().is_some();
        transaction.add(place_vector(feed, &photo.username, &photo.id, Some(entry.number), read, is_shown)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shared::values::{PhotoId, PictureId};

    use super::*;
    use shared::entities::Sizes;

    fn number(number: u32) -> PictureNumber {
        number.try_into().unwrap()
    }

    fn sizes(of: u32) -> Sizes {
        let id = PictureId::from_file(&of.to_be_bytes());
        Sizes { number: Some(number(of)), id, width: 800, height: 600, bytes: 1000, blurhash: String::new() }
    }

    /// Returns a photo of three pictures, of which these are settled.
    fn photo_of(settled: &[u32]) -> (Photo, Pictures) {
        let id: PhotoId = "2024-05-30T15:42:38".parse().unwrap();
        let mut pictures = Pictures::pending(id.clone(), [None, None, None]);
        for of in settled {
            pictures = pictures.settled(number(*of), Picture::Ready(sizes(*of)), None).unwrap();
        }
        let mut photo = Photo::pending("ada".parse().unwrap(), id, "s3://".to_owned());
        photo.picture = Some(pictures.copy(&Picture::Pending));
        (photo, pictures)
    }

    fn list(numbers: &[Option<u32>]) -> Vec<Wanted> {
        let wanted = |of: &Option<u32>| Wanted { number: of.map(number), picture: NewPicture::default() };
        numbers.iter().map(wanted).collect()
    }

    fn numbers(pictures: &Pictures) -> Vec<u32> {
        pictures.entries.iter().map(|entry| entry.number.get()).collect()
    }

    #[test]
    fn a_list_reorders_and_removes() {
        let (photo, before) = photo_of(&[1, 2, 3]);
        let wanted = list(&[Some(3), Some(1)]);
        let arranged = Arranged::by_list(&photo, &before, &wanted).unwrap();
        assert_eq!((numbers(&arranged.after), arranged.after.version), (vec![3, 1], before.version + 1));
        assert_eq!((&arranged.picture, arranged.publishes(&photo)), (&Picture::Ready(sizes(3)), false));
        let removed: Vec<_> = arranged.removed.iter().map(|entry| entry.number).collect();
        assert_eq!((removed, arranged.has_other_texts), (vec![number(2)], false));
    }

    #[test]
    fn only_a_pending_photo_takes_new_pictures() {
        let (photo, before) = photo_of(&[1, 2]);
        let wanted = list(&[Some(2), None, Some(1)]);
        let arranged = Arranged::by_list(&photo, &before, &wanted).unwrap();
        assert_eq!((numbers(&arranged.after), arranged.new[0].0), (vec![2, 4, 1], number(4)));
        assert!(!arranged.publishes(&photo));
        // Without the pending one, the photo is ready.
        let wanted = list(&[Some(2), Some(1)]);
        assert!(Arranged::by_list(&photo, &before, &wanted).unwrap().publishes(&photo));
        let (ready, before) = photo_of(&[1, 2, 3]);
        assert!(Arranged::by_list(&ready, &before, &list(&[Some(1), None])).is_err());
    }

    #[test]
    fn each_number_is_that_of_a_picture_and_there_once() {
        let (photo, before) = photo_of(&[1, 2, 3]);
        for bad in [&[Some(4)][..], &[Some(1), Some(1)]] {
            assert!(Arranged::by_list(&photo, &before, &list(bad)).is_err(), "{bad:?}");
        }
        let removed = before.decided(&[number(1)], shared::values::ReportReason::Spam);
        assert!(Arranged::by_list(&photo, &removed, &list(&[Some(1)])).is_err(), "nothing is shown");
        let wanted = list(&[Some(1), Some(3)]);
        let arranged = Arranged::by_list(&photo, &removed, &wanted).unwrap();
        assert_eq!((&arranged.picture, arranged.after.count()), (&Picture::Ready(sizes(3)), 1));
    }
}
