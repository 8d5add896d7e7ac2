//! `PUT /users/{username}/favorites/{dataId}/tags/{tagId}`: the caller puts a tag on a favorite, by one `GetItem` of the
//! favorite, for where it is in lists, and one `TransactWriteItems` that puts the entry, counts it on the favorite, and
//! checks that there is such a tag. Repeated, it counts nothing. A favorite of another program has no count; a `Query`
//! of its entries begins it.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{
    ConditionCheck, Put, ReturnValuesOnConditionCheckFailure, Select, TransactWriteItem, Update,
};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::favorites::{Favorite, FavoriteTag, Key, MAX_TAGS_OF_FAVORITE, tags_of_favorite_pk};
use shared::values::{DataId, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(tag_favorite).await
}

async fn tag_favorite(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::of(&request)?.must_be(&username)?;

    loop {
        // Consistently, so that what was clipped just now can be tagged.
        let output = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .consistent_read(true)
            .send()
            .await?;
        let item = output.item.ok_or_else(|| Error::no_favorite(&data_id))?;
        let favorite: Favorite = entity::from_item(item.clone())?;

        let tags = if let Some(tags) = favorite.tag_count {
            tags
        } else {
            // One page has room for far more entries than a favorite may have. Consistently, as the count goes on from it.
            let output = table
                .client
                .query()
                .table_name(&table.name)
                .key_condition_expression("pk = :tags")
                .expression_attribute_values(":tags", S(tags_of_favorite_pk(&username, &data_id)))
                .select(Select::Count)
                .consistent_read(true)
                .send()
                .await?;
            u64::from(output.count.unsigned_abs())
        };
        let is_full = tags >= MAX_TAGS_OF_FAVORITE as u64;

        let entry = FavoriteTag::new(&favorite, tag_id.clone());
        let put_entry = Put::builder()
            .table_name(&table.name)
            .set_item(Some(entry.item(&username)))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        // The time tells this favorite from a later one of the same id. It is compared as it stands, since other
        // programs may have written it in another form.
        let count_it = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .expression_attribute_values(":clipTime", item["clipTime"].clone());
        let count_it = if favorite.tag_count.is_none() && !is_full {
            count_it
                .condition_expression("attribute_not_exists(tagCount) AND clipTime = :clipTime")
                .update_expression("SET tagCount = :tags")
                .expression_attribute_values(":tags", N((tags + 1).to_string()))
        } else {
            count_it
                .condition_expression("tagCount < :most AND clipTime = :clipTime")
                .update_expression("SET tagCount = tagCount + :one")
                .expression_attribute_values(":most", N(MAX_TAGS_OF_FAVORITE.to_string()))
                .expression_attribute_values(":one", N("1".to_owned()))
        };
        let tag_is_there = ConditionCheck::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .condition_expression("attribute_exists(pk)")
            .build()?;
        let transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(put_entry).build())
            .transact_items(TransactWriteItem::builder().update(count_it.build()?).build())
            .transact_items(TransactWriteItem::builder().condition_check(tag_is_there).build());

        match transaction::write(transaction).await? {
            Outcome::Committed => {
                return answer::created(&format!("/users/{username}/favorites/{data_id}/tags/{tag_id}"), &entry);
            }
            Outcome::ConditionFailed(failed) if failed.contains(2) => return Err(Error::no_tag(&tag_id)),
            Outcome::ConditionFailed(mut failed) if failed.contains(0) => {
                let there_already = failed.take_item(0).unwrap_or_default();
                return answer::ok(&FavoriteTag::of(&username, there_already)?);
            }
            Outcome::ConditionFailed(_) if is_full => {
                return Err(Error::Conflict(format!(
                    "Favorite {data_id} has {MAX_TAGS_OF_FAVORITE} tags, and no more are allowed."
                )));
            }
            // It is not the favorite any more that was read.
            Outcome::ConditionFailed(_) => {}
        }
    }
}
