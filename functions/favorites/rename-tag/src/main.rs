//! `PATCH /users/{username}/tags/{tagId}`: gives a tag another name, by a `GetItem` of the tag and one
//! `TransactWriteItems` that writes the name, keeps it from being given twice, and frees the old one; by one `UpdateItem`
//! instead where only case or Unicode form changes. However many favorites carry the tag, none of them is written: they
//! know it by its id.
//!
//! A name that is taken costs a `GetItem` of the tag that has it.

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use aws_sdk_dynamodb::types::{
    Delete, Put, ReturnValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, Fields, path};
use shared::model::entity;
use shared::model::favorites::{Key, Tag, TagNameReservation, tag_name_reservation};
use shared::values::{TagId, TagName, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// How often the tag is read while others change what is written.
const MAX_ATTEMPTS: usize = 10;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(rename_tag).await
}

async fn rename_tag(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::of(&request)?.must_be(&username)?;
    let mut fields = Fields::of(&request)?;
    let new_name = fields.required::<TagName>("tagName");
    fields.finish()?;
    let new_name = new_name?;

    // Set where a failed says so: a tag that the item of the new name names in vain, and the old name if its item is
    // another tag's, which only another program brings about.
    let mut not_its_name = tag_id.clone();
    let mut not_ours = None;
    for _ in 0..MAX_ATTEMPTS {
        // Consistently, so that a tag which was created just now can be renamed.
        let item = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .consistent_read(true)
            .send()
            .await?
            .item;
        let mut tag: Tag = entity::from_item(item.ok_or_else(|| Error::no_tag(&tag_id))?)?;
        if tag.tag_name == new_name.as_ref() {
            return answer::ok(&tag);
        }
        // Another program may have given a name that can't be given here, and that no item keeps.
        let old_name: Option<TagName> = tag.tag_name.parse().ok();

        if old_name.as_ref().is_some_and(|old_name| old_name.folded() == new_name.folded()) {
            let renamed = table
                .client
                .update_item()
                .table_name(&table.name)
                .set_key(Some(Key::tag(&username, &tag_id).into()))
                .condition_expression("tagName = :old")
                .update_expression("SET tagName = :new, lsiOneSk = :new")
                .expression_attribute_values(":old", S(tag.tag_name))
                .expression_attribute_values(":new", S(new_name.to_string()))
                .return_values(ReturnValue::AllNew)
                .send()
                .await;
            match renamed {
                Ok(output) => return answer::ok(&entity::from_item::<Tag>(output.attributes.unwrap_or_default())?),
                Err(error)
                    if error.as_service_error().is_some_and(UpdateItemError::is_conditional_check_failed_exception) =>
                {
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
        }

        let rename = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .condition_expression("tagName = :old")
            .update_expression("SET tagName = :new, lsiOneSk = :new")
            .expression_attribute_values(":old", S(tag.tag_name.clone()))
            .expression_attribute_values(":new", S(new_name.to_string()))
            .build()?;
        let take_new_name = Put::builder()
            .table_name(&table.name)
            .set_item(Some(tag_name_reservation(&username, &new_name, &tag_id)))
            .condition_expression("attribute_not_exists(pk) OR tagId IN (:tagId, :notItsName)")
            .expression_attribute_values(":tagId", S(tag_id.to_string()))
            .expression_attribute_values(":notItsName", S(not_its_name.to_string()))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?;
        let mut transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().update(rename).build())
            .transact_items(TransactWriteItem::builder().put(take_new_name).build());
        if old_name != not_ours
            && let Some(old_name) = &old_name
        {
            let free_old_name = Delete::builder()
                .table_name(&table.name)
                .set_key(Some(Key::tag_name(&username, old_name).into()))
                .condition_expression("attribute_not_exists(pk) OR tagId = :tagId")
                .expression_attribute_values(":tagId", S(tag_id.to_string()))
                .build()?;
            transaction = transaction.transact_items(TransactWriteItem::builder().delete(free_old_name).build());
        }

        let mut failed = match transaction::write(transaction).await? {
            Outcome::Committed => {
                tag.tag_name = new_name.into();
                return answer::ok(&tag);
            }
            Outcome::ConditionFailed(failed) => failed,
        };
        if failed.contains(2) {
            not_ours = old_name;
        }
        if failed.contains(1) {
            let taken: TagNameReservation = entity::from_item(failed.take_item(1).unwrap_or_default())?;
            if let Some(other) = tag_called(&table, &username, &new_name, &taken.tag_id).await? {
                return Err(Error::Conflict(format!("There is a tag {} already.", other.tag_name)));
            }
            // Deleted or renamed since, or by another program, which left the item of the name behind.
            not_its_name = taken.tag_id;
        }
    }
    Err(Error::Busy("the tag keeps changing".into()))
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
