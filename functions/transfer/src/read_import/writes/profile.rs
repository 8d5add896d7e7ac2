//! The writes of the profile: its status, its interests and its pinned photo.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue::{self, L, S};
use aws_sdk_dynamodb::types::Update;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::unless_condition_failed;
use shared::entities::account::{OF_ACCOUNT, subject_value};
use shared::entities::{Key, Photo, Picture, PinnedPicture, get_photo, photo_sk};
use shared::http::precondition::{VERSION, new_version};
use tokio::time::sleep;

use super::{Target, Written, left_out};
use crate::read_import::archive::Unreadable;

/// The time for which an import waits for the picture of the profile: 30 times a second.
/// process-photo takes less for all but the largest files.
const PIN_ATTEMPTS: usize = 30;
const PIN_INTERVAL: Duration = Duration::from_millis(if cfg!(test) { 1 } else { 1000 });

impl Target<'_> {
    /// Sets the status and the interests of the profile, if the user has none.
    pub(crate) async fn set_profile(&self) -> Result<(), Unreadable> {
        if let Some(status) = self.profile.status.clone() {
            self.set_if_unset("status", S(String::from(status))).await?;
        }
        if let Some(interests) = self.profile.interests.clone() {
            let interests = Vec::<String>::from(interests).into_iter().map(S).collect();
            self.set_if_unset("interests", L(interests)).await?;
        }
        Ok(())
    }

    /// Sets an attribute of the profile, if there is none, or an empty list.
    async fn set_if_unset(&self, name: &str, value: AttributeValue) -> Result<(), Unreadable> {
        let table = &self.stores.table;
        let update = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(Key::user(self.owner).into()))
            .condition_expression(format!("{OF_ACCOUNT} AND (attribute_not_exists(#name) OR #name = :empty)"))
            .update_expression("SET #name = :value, #version = :version")
            .expression_attribute_names("#name", name)
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":value", value)
            .expression_attribute_values(":empty", L(vec![]))
            .expression_attribute_values(":version", S(new_version()))
            .expression_attribute_values(":subject", subject_value(self.subject));
        unless_condition_failed(update.send().await)?;
        Ok(())
    }

    /// Pins the photo that the profile had pinned, unless the user has pinned one since. Its
    /// picture is the file of an upload, which process-photo makes ready at the same time, so this
    /// waits for it.
    pub(crate) async fn pin(&self) -> Result<Written, Unreadable> {
        let Some(id) = &self.profile.pinned_image else { return Ok(Written::There) };
        let left_out = |reason: &str| Ok(left_out("the pinned photo", id.as_ref(), reason));
        let (table, owner) = (&self.stores.table, self.owner);
        let mut photo = get_photo(table, owner, id).await?;
        for _ in 0..PIN_ATTEMPTS {
            if photo.as_ref().is_none_or(|photo| photo.picture != Some(Picture::Pending)) {
                break;
            }
            sleep(PIN_INTERVAL).await;
            photo = get_photo(table, owner, id).await?;
        }
        let Some(sizes) = photo.filter(Photo::may_be_pinned).and_then(|photo| photo.picture?.sizes().cloned()) else {
            return left_out("it is not ready, or sensitive, or its audience is not everyone");
        };
        let picture = PinnedPicture::from(sizes);
        let pin = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::user(owner).into()))
            .condition_expression(format!("{OF_ACCOUNT} AND attribute_not_exists(pinnedImage)"))
            .update_expression("SET pinnedImage = :photo, pinnedPicture = :picture, #version = :version")
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":photo", S(photo_sk(owner, id)))
            .expression_attribute_values(
                ":picture",
                serde_dynamo::to_attribute_value(&picture).map_err(shared::Error::from)?,
            )
            .expression_attribute_values(":version", S(new_version()))
            .expression_attribute_values(":subject", subject_value(self.subject))
            .build()
            .map_err(shared::Error::from)?;
        let mut transaction = Transaction::new();
        transaction.update(pin);
        let pinned = transaction.condition_check(PinnedPicture::check(Some(&picture), &table.name, owner, id)?);
        match transaction.write(&table.client).await? {
            Outcome::ConditionFailed(failed) if failed.contains(pinned) => left_out("it has changed since"),
            // The user has pinned a photo, or is deleted, which the next write of the import finds.
            Outcome::Committed | Outcome::ConditionFailed(_) => Ok(Written::There),
        }
    }
}
