//! `POST /users/{username}/tags`: a new tag, by one `TransactWriteItems` that puts it, keeps its name from being given
//! twice, and counts it. Repeated with the same name, it answers 200 and changes nothing.
//!
//! A name that is taken costs a `GetItem` of the tag that has it. Where another program wrote the user's tags, a `Query`
//! counts them before the first that is created here.

use aws_sdk_dynamodb::types::AttributeValue::{self, N, S};
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Select, TransactWriteItem, Update};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::model::entity;
use shared::model::favorites::{Key, MAX_TAGS_OF_USER, Tag, TagNameReservation, tag_name_reservation, tags_pk};
use shared::values::{EpochMillis, TagId, TagName, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// How often the transaction is sent while others change what it counts on.
const MAX_ATTEMPTS: usize = 10;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(create_tag).await
}

async fn create_tag(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    Caller::of(&request)?.must_be(&username)?;
    let mut fields = Fields::of(&request)?;
    let tag_name = fields.required::<TagName>("tagName");
    fields.finish()?;
    let tag_name = tag_name?;

    // Set where a failed says that there is more to it: the tag that the item of the name names in vain, and how many
    // tags there are that nobody counted, with the deletions until then.
    let mut not_its_name: Option<TagId> = None;
    let mut uncounted: Option<(usize, Option<AttributeValue>)> = None;
    for _ in 0..MAX_ATTEMPTS {
        let now = EpochMillis::now();
        let tag = Tag { tag_id: TagId::new(), tag_name: tag_name.to_string(), create_time: now, last_access_time: now };
        let put_tag = Put::builder()
            .table_name(&table.name)
            .set_item(Some(tag.item(&username)))
            .condition_expression("attribute_not_exists(pk)")
            .build()?;
        let put_name = Put::builder()
            .table_name(&table.name)
            .set_item(Some(tag_name_reservation(&username, &tag_name, &tag.tag_id)))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let put_name = match &not_its_name {
            None => put_name.condition_expression("attribute_not_exists(pk)"),
            Some(tag_id) => put_name
                .condition_expression("attribute_not_exists(pk) OR tagId = :notItsName")
                .expression_attribute_values(":notItsName", S(tag_id.to_string())),
        };
        let count_it = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag_count(&username).into()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let count_it = match &uncounted {
            None => count_it
                .condition_expression("tags < :most")
                .update_expression("SET tags = tags + :one")
                .expression_attribute_values(":most", N(MAX_TAGS_OF_USER.to_string()))
                .expression_attribute_values(":one", N("1".to_owned())),
            // A deletion since then was of a tag that is in the number.
            Some((tags, None)) => count_it
                .condition_expression("attribute_not_exists(tags) AND attribute_not_exists(deletions)")
                .update_expression("SET tags = :tags")
                .expression_attribute_values(":tags", N((tags + 1).to_string())),
            Some((tags, Some(deletions))) => count_it
                .condition_expression("attribute_not_exists(tags) AND deletions = :deletions")
                .update_expression("SET tags = :tags")
                .expression_attribute_values(":tags", N((tags + 1).to_string()))
                .expression_attribute_values(":deletions", deletions.clone()),
        };
        let transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(put_tag).build())
            .transact_items(TransactWriteItem::builder().put(put_name.build()?).build())
            .transact_items(TransactWriteItem::builder().update(count_it.build()?).build());

        let mut failed = match transaction::write(transaction).await? {
            Outcome::Committed => return answer::created(&format!("/users/{username}/tags/{}", tag.tag_id), &tag),
            Outcome::ConditionFailed(failed) => failed,
        };
        if failed.contains(1) {
            let taken: TagNameReservation = entity::from_item(failed.take_item(1).unwrap_or_default())?;
            if let Some(other) = tag_called(&table, &username, &tag_name, &taken.tag_id).await? {
                if other.tag_name == tag.tag_name {
                    // The first answer may have been lost.
                    return answer::ok(&other);
                }
                return Err(Error::Conflict(format!("There is a tag {} already.", other.tag_name)));
            }
            // Deleted or renamed since, or by another program, which left the item of the name behind.
            not_its_name = Some(taken.tag_id);
        } else if failed.contains(2) {
            let mut count = failed.take_item(2).unwrap_or_default();
            if !count.contains_key("tags") {
                let tags = count_tags(&table, &username).await?;
                if tags >= MAX_TAGS_OF_USER {
                    return Err(too_many());
                }
                uncounted = Some((tags, count.remove("deletions")));
            } else if uncounted.take().is_none() {
                return Err(too_many());
            }
        }
    }
    Err(Error::Busy("the user's tags keep changing".into()))
}

fn too_many() -> Error {
    Error::Conflict(format!("There are {MAX_TAGS_OF_USER} tags already, and there may not be more."))
}

/// The tag with this id, by a `GetItem`, if it has this name in any form. Consistently: who overlooked a tag that was created
/// just now would give its name again.
async fn tag_called(table: &Table, owner: &Username, name: &TagName, tag_id: &TagId) -> Result<Option<Tag>, Error> {
    let item = table
        .client
        .get_item()
        .table_name(&table.name)
        .set_key(Some(Key::tag(owner, tag_id).into()))
        .consistent_read(true)
        .send()
        .await?
        .item;
    let tag: Option<Tag> = item.map(entity::from_item).transpose()?;
    Ok(tag.filter(|tag| tag.is_called(name)))
}

/// How many tags there are, page by page: another program knows no limit. Consistently, as the count goes on from it.
async fn count_tags(table: &Table, owner: &Username) -> Result<usize, Error> {
    let mut pages = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :tags")
        .expression_attribute_values(":tags", S(tags_pk(owner)))
        .select(Select::Count)
        .consistent_read(true)
        .into_paginator()
        .send();
    let mut tags = 0;
    while let Some(page) = pages.try_next().await? {
        tags += usize::try_from(page.count).map_err(Error::internal)?;
    }
    Ok(tags)
}
