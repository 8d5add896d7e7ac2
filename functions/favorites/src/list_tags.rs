//! `GET /users/{username}/tags`: lists the caller's tags by name, by time of creation or by time of
//! last use, by one `Query` on the local secondary index lsiOne, lsiTwo or lsiThree.
//!
//! Renaming a tag moves it in the order of names. Listing its favorites moves it to the newest end
//! of the order of last use. If a tag moves while a client pages through that order, the client
//! sees it twice or not at all, depending on the direction. The order of creation never changes.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, entity};
use shared::favorites::{Key, LSI_ONE, LSI_ONE_SK, LSI_THREE, LSI_THREE_SK, LSI_TWO, LSI_TWO_SK, Tag, Tags, tags_pk};
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path, query};
use shared::values::{Order, TagId, TagSort, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_query(&["sort", "order", "limit", "cursor"], list_tags).await
}

/// The position of a tag in a list.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagPosition {
    sorted_by: String,
    tag_id: TagId,
}

async fn list_tags(table: Table, request: Request) -> Result<Response<Tags>, Error> {
    let username: Username = path(&request, "username")?;
    Caller::from_request(&request)?.must_be(&username)?;
    let sort = query::<TagSort>(&request, "sort")?.unwrap_or(TagSort::Name);
    let order = query::<Order>(&request, "order")?.unwrap_or(Order::Ascending);
    let (index, sort_key, list_name) = match (sort, order) {
        (TagSort::Name, Order::Ascending) => (LSI_ONE, LSI_ONE_SK, "tags-name-asc"),
        (TagSort::Name, Order::Descending) => (LSI_ONE, LSI_ONE_SK, "tags-name-desc"),
        (TagSort::Created, Order::Ascending) => (LSI_TWO, LSI_TWO_SK, "tags-created-asc"),
        (TagSort::Created, Order::Descending) => (LSI_TWO, LSI_TWO_SK, "tags-created-desc"),
        (TagSort::Accessed, Order::Ascending) => (LSI_THREE, LSI_THREE_SK, "tags-accessed-asc"),
        (TagSort::Accessed, Order::Descending) => (LSI_THREE, LSI_THREE_SK, "tags-accessed-desc"),
    };
    let page: Page<TagPosition> = Page::from_request(&request, list_name, &username)?;

    let start_key = page.after.as_ref().map(|last| {
        let mut key = Item::from(Key::tag(&username, &last.tag_id));
        key.insert(sort_key.to_owned(), S(last.sorted_by.clone()));
        key
    });
    let output = table
        .client
        .query()
        .table_name(&table.name)
        .index_name(index)
        .key_condition_expression("pk = :tags")
        .expression_attribute_values(":tags", S(tags_pk(&username)))
        .scan_index_forward(order == Order::Ascending)
        .set_exclusive_start_key(start_key)
        .limit(page.limit)
        .send()
        .await?;

    let tags: Vec<Tag> = entity::from_items(output.items.unwrap_or_default())?;
    let last = tags.last().map(|tag| TagPosition {
        sorted_by: match sort {
            TagSort::Name => tag.tag_name.clone(),
            TagSort::Created => tag.create_time.to_string(),
            TagSort::Accessed => tag.last_access_time.to_string(),
        },
        tag_id: tag.tag_id.clone(),
    });
    let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
    answer::private(&Tags { tags, next_cursor })
}
