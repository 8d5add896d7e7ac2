//! `GET /users/{username}/favorites/{dataId}/tags`: lists the tags on a favorite in the order of
//! their ids, by one `Query` of the favorite's entries and one `BatchGetItem` of their tags.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{batch, entity};
use shared::favorites::{FavoriteTag, Key, Tag, Tags, tags_of_favorite_pk};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path};
use shared::values::{DataId, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_query(&["limit", "cursor"], list_tags_of_favorite).await
}

async fn list_tags_of_favorite(table: Table, request: Request) -> Result<Response<Tags>, Error> {
    let username: Username = path(&request, "username")?;
    let data_id: DataId = path(&request, "dataId")?;
    Caller::from_request(&request)?.must_be(&username)?;
    let page: Page<TagId> = Page::from_request(&request, "tags-of-favorite", format!("{username} {data_id}"))?;

    let start_key = page.after.as_ref().map(|last| Key::favorite_tag(&username, &data_id, last).into());
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .key_condition_expression("pk = :tags")
        .expression_attribute_values(":tags", S(tags_of_favorite_pk(&username, &data_id)))
        .set_exclusive_start_key(start_key)
        .limit(page.limit)
        .send()
        .await?;
    let entries = FavoriteTag::from_items(&username, output.items)?;
    let last = entries.last().map(|entry| entry.tag_id.clone());
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;

    // A page has at most 100 entries, which is also the maximum of BatchGetItem.
    let keys = entries.iter().map(|entry| Key::tag(&username, &entry.tag_id).into()).collect();
    let found: Vec<Tag> = entity::from_items(batch::get(&table, keys, false).await?)?;
    let mut found: HashMap<TagId, Tag> = found.into_iter().map(|tag| (tag.tag_id.clone(), tag)).collect();

    // BatchGetItem returns items in any order, and without the tags that are deleted. Their entries
    // may remain for a while.
    let tags = entries.iter().filter_map(|entry| found.remove(&entry.tag_id)).collect();
    answer::private(&Tags { tags, next_cursor })
}
