//! The writes of tags, with the conditions of create-tag.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, Update};
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::{Key, MAX_TAGS_PER_USER, Tag, tag_name_reservation};
use shared::values::{EpochMillis, TagId, TagName};

use super::{TAG, Target, Written, left_out, parse_entry};
use crate::read_import::archive::Unreadable;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagEntry {
    tag_id: TagId,
    tag_name: TagName,
    create_time: EpochMillis,
    last_access_time: EpochMillis,
}

impl Target<'_> {
    /// Puts a tag under its id, and reserves its name.
    pub(crate) async fn tag(&self, entry: &RawValue) -> Result<Written, Unreadable> {
        let TagEntry { tag_id, tag_name, create_time, last_access_time } = match parse_entry(entry, TAG) {
            Ok(entry) => entry,
            Err(left_out) => return Ok(left_out),
        };
        if create_time.max(last_access_time) > EpochMillis::now() {
            return Ok(left_out(TAG, tag_name.as_ref(), "it is of the future"));
        }
        if let Some(reason) = self.refusal(TAG) {
            return Ok(left_out(TAG, tag_name.as_ref(), reason));
        }
        let table = &self.stores.favorites.name;
        let tag = Tag { tag_id, tag_name: tag_name.to_string(), create_time, last_access_time };
        let put = |item| {
            Put::builder().table_name(table).set_item(Some(item)).condition_expression("attribute_not_exists(pk)")
        };
        let count = Update::builder()
            .table_name(table)
            .set_key(Some(Key::tag_count(self.owner).into()))
            .condition_expression("attribute_not_exists(tags) OR tags < :max")
            .update_expression("ADD tags :one")
            .expression_attribute_values(":max", N(MAX_TAGS_PER_USER.to_string()))
            .expression_attribute_values(":one", N("1".to_owned()))
            .build()?;
        let mut transaction = Transaction::new();
        let id = transaction.put(put(tag.item(self.owner)).build()?);
        let name = transaction.put(put(tag_name_reservation(self.owner, &tag_name, &tag.tag_id)).build()?);
        transaction.update(count);
        Ok(match self.write(transaction).await? {
            Outcome::Committed => Written::There,
            Outcome::ConditionFailed(failed) if failed.contains(id) => Written::There,
            Outcome::ConditionFailed(failed) if failed.contains(name) => {
                left_out(TAG, &tag.tag_name, "another tag has this name")
            }
            Outcome::ConditionFailed(_) => self.leave_out_full(TAG, &tag.tag_name),
        })
    }
}
