//! `DELETE /users/{username}/tags/{tagId}`: the tag is gone at once, by a `GetItem` of the tag and one
//! `TransactWriteItems` that deletes it, frees its name, and takes it off the count. The favorites that carry it have no
//! bound, so purge-deleted-tag takes it off them, from the stream. Repeated, it changes nothing.

use aws_sdk_dynamodb::types::AttributeValue::{N, S};
use aws_sdk_dynamodb::types::{Delete, TransactWriteItem, Update};
use shared::dynamodb::transaction;
use shared::dynamodb::transaction::Outcome;
use shared::http::answer;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::favorites::{Key, Tag};
use shared::values::{TagId, TagName, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// How often the tag is read while others change what is written.
const MAX_ATTEMPTS: usize = 10;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_tag).await
}

async fn delete_tag(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::of(&request)?.must_be(&username)?;

    // Both are the other way only where another program wrote: then a failed says so.
    let mut is_counted = true;
    let mut not_ours = None;
    for _ in 0..MAX_ATTEMPTS {
        // Consistently: who overlooked a tag that was created just now would answer that it is gone.
        let item = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .consistent_read(true)
            .send()
            .await?
            .item;
        let Some(item) = item else {
            return Ok(answer::no_content());
        };
        let tag: Tag = entity::from_item(item)?;
        // Another program may have given a name that can't be given here, and that no item keeps.
        let name: Option<TagName> = tag.tag_name.parse().ok();

        let delete = Delete::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag(&username, &tag_id).into()))
            .condition_expression("tagName = :name")
            .expression_attribute_values(":name", S(tag.tag_name))
            .build()?;
        // `deletions` goes up with each, so that restore-favorite sees whether a tag that it read may be gone.
        let count_it = Update::builder()
            .table_name(&table.name)
            .set_key(Some(Key::tag_count(&username).into()))
            .expression_attribute_values(":zero", N("0".to_owned()))
            .expression_attribute_values(":one", N("1".to_owned()));
        let count_it = if is_counted {
            count_it
                .condition_expression("tags > :zero")
                .update_expression("SET tags = tags - :one, deletions = if_not_exists(deletions, :zero) + :one")
        } else {
            count_it
                .condition_expression("attribute_not_exists(tags) OR tags = :zero")
                .update_expression("SET deletions = if_not_exists(deletions, :zero) + :one")
        };
        let mut transaction = table
            .client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().delete(delete).build())
            .transact_items(TransactWriteItem::builder().update(count_it.build()?).build());
        if name != not_ours
            && let Some(name) = &name
        {
            let free_name = Delete::builder()
                .table_name(&table.name)
                .set_key(Some(Key::tag_name(&username, name).into()))
                .condition_expression("attribute_not_exists(pk) OR tagId = :tagId")
                .expression_attribute_values(":tagId", S(tag_id.to_string()))
                .build()?;
            transaction = transaction.transact_items(TransactWriteItem::builder().delete(free_name).build());
        }

        match transaction::write(transaction).await? {
            Outcome::Committed => return Ok(answer::no_content()),
            Outcome::ConditionFailed(failed) => {
                if failed.contains(1) {
                    is_counted = !is_counted;
                }
                if failed.contains(2) {
                    not_ours = name;
                }
            }
        }
    }
    Err(Error::Busy("the tag keeps changing".into()))
}
