//! The writes of favorites, with the conditions of clip-favorite and tag-favorite.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue::{N, S, Ss};
use aws_sdk_dynamodb::types::{ConditionCheck, Put, Update};
use serde::Deserialize;
use serde_json::value::RawValue;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::entities::{Favorite, FavoriteTag, Key, MAX_TAGS_PER_FAVORITE, favorite_count};
use shared::values::{CreatorId, DataId, DataType, EpochMillis, TagId, Title, Url};

use super::{FAVORITE, MAX_WRITES, Target, Written, left_out, parse_entry};
use crate::read_import::archive::Unreadable;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FavoriteEntry {
    data_id: DataId,
    data_type: DataType,
    title: Title,
    creator_id: Option<CreatorId>,
    thumbnail_url: Option<Url>,
    content_url: Option<Url>,
    clip_time: EpochMillis,
    tags: Vec<TagId>,
}

impl Target<'_> {
    /// Puts a favorite, and its entries under its tags.
    pub(crate) async fn favorite(&self, entry: &RawValue) -> Result<Written, Unreadable> {
        let entry: FavoriteEntry = match parse_entry(entry, FAVORITE) {
            Ok(entry) => entry,
            Err(left_out) => return Ok(left_out),
        };
        let id = entry.data_id.to_string();
        if entry.data_id.photo().is_some() || entry.data_type == DataType::Photo {
            return Ok(left_out(FAVORITE, &id, "it is a saved photo, which has to be saved again"));
        }
        if entry.clip_time > EpochMillis::now() {
            return Ok(left_out(FAVORITE, &id, "it is of the future"));
        }
        if let Some(reason) = self.refusal(FAVORITE) {
            return Ok(left_out(FAVORITE, &id, reason));
        }
        let favorite = Favorite {
            data_id: entry.data_id,
            data_type: entry.data_type,
            title: entry.title.into(),
            creator_id: entry.creator_id.map(Into::into),
            thumbnail_url: entry.thumbnail_url.map(Into::into),
            content_url: entry.content_url.map(Into::into),
            clip_time: entry.clip_time,
            tag_count: Some(0),
            tag_ids: BTreeSet::new(),
        };
        let table = &self.stores.favorites.name;
        let put = Put::builder()
            .table_name(table)
            .set_item(Some(favorite.item(self.owner)))
            .condition_expression("attribute_not_exists(pk)")
            .build()?;
        let mut transaction = Transaction::new();
        let put = transaction.put(put);
        transaction.update(favorite_count::increment(table, self.owner)?);
        if let Outcome::ConditionFailed(failed) = self.write(transaction).await?
            && !failed.contains(put)
        {
            return Ok(self.leave_out_full(FAVORITE, &id));
        }
        for tag_id in entry.tags.into_iter().take(MAX_TAGS_PER_FAVORITE) {
            if self.work.get().writes >= MAX_WRITES {
                return Ok(left_out("tags of favorite", &id, "one import makes no more writes"));
            }
            self.tag_favorite(&FavoriteTag::new(&favorite, tag_id)).await?;
        }
        Ok(Written::There)
    }

    /// Puts the entry of a favorite under a tag, unless it is there, or the tag is not, or the user has the
    /// favorite with another time or type.
    async fn tag_favorite(&self, entry: &FavoriteTag) -> Result<(), Unreadable> {
        let (table, item) = (&self.stores.favorites.name, entry.item(self.owner));
        let data_type = item["dataType"].clone();
        let put = Put::builder()
            .table_name(table)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(pk)")
            .build()?;
        let count = Update::builder()
            .table_name(table)
            .set_key(Some(Key::favorite(self.owner, &entry.data_id).into()))
            .condition_expression("tagCount < :max AND clipTime = :clipTime AND dataType = :dataType")
            .update_expression("SET tagCount = tagCount + :one ADD tagVersion :one, tagIds :ids")
            .expression_attribute_values(":max", N(MAX_TAGS_PER_FAVORITE.to_string()))
            .expression_attribute_values(":clipTime", S(entry.clip_time.to_string()))
            .expression_attribute_values(":dataType", data_type)
            .expression_attribute_values(":one", N("1".to_owned()))
            .expression_attribute_values(":ids", Ss(vec![entry.tag_id.to_string()]))
            .build()?;
        let tag = ConditionCheck::builder()
            .table_name(table)
            .set_key(Some(Key::tag(self.owner, &entry.tag_id).into()))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        let mut transaction = Transaction::new();
        transaction.put(put);
        transaction.update(count);
        transaction.condition_check(tag);
        self.write(transaction).await?;
        Ok(())
    }
}
