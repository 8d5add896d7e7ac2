//! One `Query` reads the entries of the favorite, and one `BatchGetItem` their tags.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{batch, entity};
use shared::entities::{FavoriteTag, Key, Tag, Tags, tags_of_favorite_pk};
use shared::http::answer;
use shared::http::extract::{Owner, Path};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::values::{DataId, TagId};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct ListTagsOfFavorite {
    table: Table,
}

impl Route for ListTagsOfFavorite {
    const NAME: &'static str = "list-tags-of-favorite";
    const ROUTE: &'static str = "GET /users/{username}/favorites/{dataId}/tags";
    const SUMMARY: &'static str = "Lists the tags on a favorite in the order of their ids.";

    type Input = (Owner, Path<DataId>, PageParameters);
    type Body = Tags;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Path(data_id), page): Self::Input,
    ) -> Result<Response<Tags>, Error> {
        let Self { table } = self;
        let page: Page<TagId> = page.of("tags-of-favorite", format!("{username} {data_id}"))?;

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

        let keys = entries.iter().map(|entry| Key::tag(&username, &entry.tag_id)).collect();
        let found: Vec<Tag> = entity::from_items(batch::get(table, keys, false).await?)?;
        let mut found: HashMap<TagId, Tag> = found.into_iter().map(|tag| (tag.tag_id.clone(), tag)).collect();

        // BatchGetItem returns items in any order, and without the tags that are deleted. Their entries
        // may remain for a while.
        let tags = entries.iter().filter_map(|entry| found.remove(&entry.tag_id)).collect();
        answer::private(&Tags { tags, next_cursor })
    }
}
