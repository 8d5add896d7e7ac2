//! Inspects and repairs the vectors of photos.

use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::TransactWriteItem;
use shared::entities::object::{Size, picture_key};
use shared::entities::{Key, Picture, Pictures, VECTOR, place_vector, vector_item};
use shared::values::PictureId;

use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::{FeedsFinding, PictureOf};
use crate::audit::photos::entity::Entity;
use crate::audit::photos::objects;
use crate::audit::photos::several::{pictures_of, unchanged};
use crate::audit::photos::user_state::{UserState, user_state};
use crate::audit::read;
use crate::audit::write::{check, check_part, delete, delete_part, put, put_part, write};

/// The condition that everyone may see a photo. Its only name is `#status`, and its only value is
/// `:ready`.
const IS_PUBLIC: &str = "picture.#status = :ready AND attribute_not_exists(audience)";

/// A picture, as far as the audit knows it.
#[derive(Debug, PartialEq)]
enum Shown {
    /// The photo exists, and the bucket has this picture of it.
    Picture { picture: PictureId, is_public: bool },
    /// There is no photo, or it has no such picture in the bucket.
    Nothing,
    /// The photo is being deleted, or it or its pictures are malformed.
    Unsettled,
}

/// A picture with what its vector depends on.
struct Found {
    shown: Shown,
    /// Whether everyone may see the photo.
    is_photo_public: bool,
    /// The pictures of which it is one, if there are several.
    pictures: Option<Pictures>,
}

impl FeedsCheck {
    /// Returns the defect of the vector of a picture: one of the two exists without the other, or the
    /// vector is in the wrong place. Of a user who is being deleted, finish-deletion deletes both.
    pub(super) async fn vector(&self, of: &PictureOf) -> Result<Option<FeedsFinding>, Error> {
        let PictureOf { photo, number } = of;
        let shown = self.found(of).await?.shown;
        let vector = read::get(&self.feed, Key::vector(&photo.author, &photo.id, *number)).await?;
        let is_indexed = vector.map(|vector| vector.contains_key(VECTOR));
        // A transaction writes both, and may have come between the two reads.
        if shown != self.found(of).await?.shown || user_state(&self.table, &photo.author).await? != UserState::Present {
            return Ok(None);
        }
        let of = of.clone();
        Ok(match (shown, is_indexed) {
            (Shown::Nothing, Some(_)) => Some(FeedsFinding::OrphanVector(of)),
            (Shown::Picture { picture, is_public }, None) if self.bucket.is_some() => {
                Some(FeedsFinding::NoVector { of, picture, is_public })
            }
            (Shown::Picture { is_public, .. }, Some(is_indexed)) if is_public != is_indexed => {
                Some(FeedsFinding::MisplacedVector { of, is_public })
            }
            _ => None,
        })
    }

    /// Returns a picture with what its vector depends on.
    async fn found(&self, PictureOf { photo, number }: &PictureOf) -> Result<Found, Error> {
        let of = |shown| Found { shown, is_photo_public: false, pictures: None };
        let item = read::entity(&self.table, Key::photo(&photo.author, &photo.id)).await?;
        let found = match item {
            Some(Ok(Entity::Photo { photo, .. })) => photo,
            None => return Ok(of(Shown::Nothing)),
            Some(_) => return Ok(of(Shown::Unsettled)),
        };
        let (is_public, is_several) = (found.is_public(), found.pictures.is_some());
        let Some(number) = number else {
            return Ok(match found.picture.as_ref().and_then(Picture::sizes) {
                Some(sizes) if !is_several => {
                    let shown = Shown::Picture { picture: sizes.id.clone(), is_public };
                    Found { is_photo_public: is_public, ..of(shown) }
                }
                _ => of(Shown::Nothing),
            });
        };
        let Ok(pictures) = pictures_of(&self.table, photo).await? else {
            return Ok(of(Shown::Unsettled));
        };
        let entry = pictures.as_ref().filter(|_| is_several).and_then(|pictures| pictures.get(*number));
        let shown = match entry.and_then(|entry| Some((entry.picture.sizes()?, entry.shown().is_some()))) {
            Some((sizes, is_shown)) => Shown::Picture { picture: sizes.id.clone(), is_public: is_public && is_shown },
            None => Shown::Nothing,
        };
        Ok(Found { shown, is_photo_public: is_public, pictures })
    }

    /// Deletes a vector, if there still is no photo with such a picture.
    pub(super) async fn delete_vector(&self, of: &PictureOf) -> Result<bool, Error> {
        let PictureOf { photo, number } = of;
        let found = self.found(of).await?;
        if found.shown != Shown::Nothing {
            return Ok(false);
        }
        let vector = delete(&self.feed, Key::vector(&photo.author, &photo.id, *number));
        let vector = vector.condition_expression("attribute_exists(pk)");
        let of_photo = match number {
            None => check(&self.table, Key::photo(&photo.author, &photo.id))
                .condition_expression("attribute_not_exists(picture.sizes) OR attribute_exists(pictures)"),
            Some(_) => unchanged(check(&self.table, Key::pictures(&photo.author, &photo.id)), found.pictures.as_ref()),
        };
        write(&self.feed, vec![delete_part(vector)?, check_part(of_photo)?]).await
    }

    /// Makes the vector of a picture from its small size, and puts it, if the photo
    /// still has this picture. Returns false if the bucket has no such object, which is a finding
    /// of its own.
    pub(super) async fn make_vector(
        &self,
        of: &PictureOf,
        picture: &PictureId,
        is_public: bool,
    ) -> Result<bool, Error> {
        let PictureOf { photo, number } = of;
        let Some(bucket) = &self.bucket else { return Ok(false) };
        let key = picture_key(&photo.author, &photo.id, *number, picture, Size::Small);
        let Some((file, _)) = objects::read(bucket, &key).await? else { return Ok(false) };
        let vector = pictures::vector(&file).map_err(|rejection| objects::failed(&key, rejection))?;
        let put = put(&self.feed, vector_item(&photo.author, &photo.id, *number, &vector, is_public))
            .condition_expression("attribute_not_exists(pk)");
        let put = put_part(put)?;
        let found = self.found(of).await?;
        if found.shown != (Shown::Picture { picture: picture.clone(), is_public }) {
            return Ok(false);
        }
        let checks = self.unchanged(of, &found)?;
        write(&self.feed, [put].into_iter().chain(checks).collect()).await
    }

    /// Moves a vector into the index or out of it, if everyone may still see the picture, or still
    /// not.
    pub(super) async fn move_vector(&self, of: &PictureOf, is_public: bool) -> Result<bool, Error> {
        let PictureOf { photo, number } = of;
        let Some(vector) = read::get(&self.feed, Key::vector(&photo.author, &photo.id, *number)).await? else {
            return Ok(false);
        };
        let moved = place_vector(&self.feed, &photo.author, &photo.id, *number, Some(&vector), is_public)?;
        let found = self.found(of).await?;
        if !matches!(found.shown, Shown::Picture { is_public: is, .. } if is == is_public) {
            return Ok(false);
        }
        let checks = self.unchanged(of, &found)?;
        write(&self.feed, [moved].into_iter().chain(checks).collect()).await
    }

    /// Returns the checks that a picture is as it was found: everyone may see its photo, or not, and the photo has
    /// this picture, or the version of its several pictures.
    fn unchanged(
        &self,
        PictureOf { photo, number }: &PictureOf,
        found: &Found,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let is = if found.is_photo_public { "" } else { "NOT " };
        let of_photo = check(&self.table, Key::photo(&photo.author, &photo.id))
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":ready", S("ready".to_owned()));
        if number.is_some() {
            let of_photo = of_photo.condition_expression(format!("{is}({IS_PUBLIC}) AND attribute_exists(pictures)"));
            let pictures = check(&self.table, Key::pictures(&photo.author, &photo.id));
            return Ok(vec![check_part(of_photo)?, check_part(unchanged(pictures, found.pictures.as_ref()))?]);
        }
        let Shown::Picture { picture, .. } = &found.shown else { return Ok(vec![]) };
        let of_photo = of_photo
            .condition_expression(format!("{is}({IS_PUBLIC}) AND picture.sizes.id = :picture"))
            .expression_attribute_values(":picture", S(picture.to_string()));
        Ok(vec![check_part(of_photo)?])
    }
}
