//! Inspects and repairs the vectors of photos.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::builders::ConditionCheckBuilder;
use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use aws_sdk_s3::operation::get_object::GetObjectError;
use shared::entities::object::{Size, picture_key};
use shared::entities::{Key, Position, VECTOR, place_vector, vector_item};
use shared::values::PictureId;

use super::feeds_check::FeedsCheck;
use crate::audit::error::Error;
use crate::audit::finding::FeedsFinding;
use crate::audit::photos::entity::{Entity, PictureState, parse_entity};
use crate::audit::photos::user_state::{UserState, user_state};
use crate::audit::write::{check, check_part, delete, delete_part, write};
use crate::explain::explain;

/// The condition that everyone may see a photo. Its only name is `#status`, and its only value is
/// `:ready`.
const IS_PUBLIC: &str = "picture.#status = :ready AND attribute_not_exists(audience)";

/// The picture of a photo, as far as the audit knows it.
#[derive(PartialEq)]
enum Shown {
    /// The photo exists, and the bucket has this picture of it.
    Picture { picture: PictureId, is_public: bool },
    /// There is no photo, or it has no picture in the bucket.
    Nothing,
    /// The photo is being deleted or is malformed.
    Unsettled,
}

impl FeedsCheck {
    /// Returns the defect of the vector of a photo: one of the two exists without the other, or the
    /// vector is in the wrong place. Of a user who is being deleted, finish-deletion deletes both.
    pub(super) async fn vector(&self, photo: &Position) -> Result<Option<FeedsFinding>, Error> {
        let shown = self.shown(photo).await?;
        let vector = self.get(Key::vector(&photo.author, &photo.id, None)).await?;
        let is_indexed = vector.map(|vector| vector.contains_key(VECTOR));
        // A transaction writes both, and may have come between the two reads.
        if shown != self.shown(photo).await? || user_state(&self.table, &photo.author).await? != UserState::Present {
            return Ok(None);
        }
        let photo = photo.clone();
        Ok(match (shown, is_indexed) {
            (Shown::Nothing, Some(_)) => Some(FeedsFinding::OrphanVector(photo)),
            (Shown::Picture { picture, is_public }, None) if self.bucket.is_some() => {
                Some(FeedsFinding::NoVector { photo, picture, is_public })
            }
            (Shown::Picture { is_public, .. }, Some(is_indexed)) if is_public != is_indexed => {
                Some(FeedsFinding::MisplacedVector { photo, is_public })
            }
            _ => None,
        })
    }

    async fn shown(&self, Position { author, id }: &Position) -> Result<Shown, Error> {
        let item = self.get_from_photos(Key::photo(author, id)).await?;
        Ok(match item.map(parse_entity) {
            Some(Ok(Entity::Photo { picture: PictureState::Ready { id: picture, .. }, is_public, .. })) => {
                Shown::Picture { picture, is_public }
            }
            None | Some(Ok(Entity::Photo { .. })) => Shown::Nothing,
            Some(_) => Shown::Unsettled,
        })
    }

    /// Deletes a vector, if there still is no photo with a picture.
    pub(super) async fn delete_vector(&self, Position { author, id }: &Position) -> Result<bool, Error> {
        let vector = delete(&self.feed, Key::vector(author, id, None)).condition_expression("attribute_exists(pk)");
        let photo = check(&self.table, Key::photo(author, id));
        let photo = photo.condition_expression("attribute_not_exists(picture.sizes)");
        write(&self.feed, vec![delete_part(vector)?, check_part(photo)?]).await
    }

    /// Makes the vector of a photo from the small size of its picture, and puts it, if the photo
    /// still has this picture. Returns false if the bucket has no such object, which is a finding
    /// of its own.
    pub(super) async fn make_vector(
        &self,
        photo: &Position,
        picture: &PictureId,
        is_public: bool,
    ) -> Result<bool, Error> {
        let Position { author, id } = photo;
        let Some(bucket) = &self.bucket else { return Ok(false) };
        let key = picture_key(author, id, None, picture, Size::Small);
        let failed = |reason| Error::Repair(format!("object {key:?}: {reason}"));
        let file = match bucket.client.get_object().bucket(&bucket.name).key(&key).send().await {
            Ok(file) => file,
            Err(SdkError::ServiceError(error)) if matches!(error.err(), GetObjectError::NoSuchKey(_)) => {
                return Ok(false);
            }
            Err(error) => return Err(failed(explain(&error))),
        };
        let file = file.body.collect().await.map_err(|error| failed(error.to_string()))?.to_vec();
        let vector = pictures::vector(&file).map_err(|rejection| failed(rejection.to_string()))?;
        let put = Put::builder()
            .table_name(&self.feed.name)
            .set_item(Some(vector_item(author, id, None, &vector, is_public)))
            .condition_expression("attribute_not_exists(pk)");
        let unchanged = self.photo_is_public(photo, is_public, " AND picture.sizes.id = :picture");
        let unchanged = unchanged.expression_attribute_values(":picture", S(picture.to_string()));
        let put = TransactWriteItem::builder().put(put.build()?).build();
        write(&self.feed, vec![put, check_part(unchanged)?]).await
    }

    /// Moves a vector into the index or out of it, if everyone may still see the photo, or still
    /// not.
    pub(super) async fn move_vector(&self, photo: &Position, is_public: bool) -> Result<bool, Error> {
        let Position { author, id } = photo;
        let Some(vector) = self.get(Key::vector(author, id, None)).await? else { return Ok(false) };
        let moved = place_vector(&self.feed, author, id, None, Some(&vector), is_public)?;
        let unchanged = self.photo_is_public(photo, is_public, " AND attribute_exists(picture.sizes)");
        write(&self.feed, vec![moved, check_part(unchanged)?]).await
    }

    /// Returns the check that everyone may see a photo, or not, and of a further condition.
    fn photo_is_public(&self, photo: &Position, is_public: bool, further: &str) -> ConditionCheckBuilder {
        let is = if is_public { "" } else { "NOT " };
        check(&self.table, Key::photo(&photo.author, &photo.id))
            .condition_expression(format!("{is}({IS_PUBLIC}){further}"))
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":ready", S("ready".to_owned()))
    }
}
