//! One `Query` on the local secondary index lsiOne, lsiTwo or lsiThree reads the tags.
//!
//! Renaming a tag moves it in the order of names. Listing its favorites moves it to the newest end
//! of the order of last use. If a tag moves while a client pages through that order, the client
//! sees it twice or not at all, depending on the direction. The order of creation never changes.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::dynamodb::{Item, entity};
use shared::entities::{Key, LSI_ONE, LSI_ONE_SK, LSI_THREE, LSI_THREE_SK, LSI_TWO, LSI_TWO_SK, Tag, Tags, tags_pk};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::values::{Order, OrderBy, TagId, TagSort};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The position of a tag in a list.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TagPosition {
    sorted_by: String,
    tag_id: TagId,
}

/// The route.
pub struct ListTags {
    table: Table,
}

impl Route for ListTags {
    const NAME: &'static str = "list-tags";
    const ROUTE: &'static str = "GET /users/{username}/tags";
    const SUMMARY: &'static str = "Lists the caller's tags by name, by time of creation or by time of last use.";

    type Input = (Owner, Query<TagSort>, Query<OrderBy<false>>, PageParameters);
    type Body = Tags;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Query(sort), Query(OrderBy(order)), page): Self::Input,
    ) -> Result<Response<Tags>, Error> {
        let Self { table } = self;
        let (index, sort_key, list_name) = match (sort, order) {
            (TagSort::Name, Order::Ascending) => (LSI_ONE, LSI_ONE_SK, "tags-name-asc"),
            (TagSort::Name, Order::Descending) => (LSI_ONE, LSI_ONE_SK, "tags-name-desc"),
            (TagSort::Created, Order::Ascending) => (LSI_TWO, LSI_TWO_SK, "tags-created-asc"),
            (TagSort::Created, Order::Descending) => (LSI_TWO, LSI_TWO_SK, "tags-created-desc"),
            (TagSort::Accessed, Order::Ascending) => (LSI_THREE, LSI_THREE_SK, "tags-accessed-asc"),
            (TagSort::Accessed, Order::Descending) => (LSI_THREE, LSI_THREE_SK, "tags-accessed-desc"),
        };
        let page: Page<TagPosition> = page.of(list_name, &username)?;

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
}
