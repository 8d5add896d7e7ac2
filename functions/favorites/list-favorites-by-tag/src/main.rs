//! `GET /users/{username}/tags/{tagId}/favorites`: the favorites that have a tag, newest first, by one `Query` on the
//! global index gsiOne for which they are, and one `BatchGetItem` for their items. Beside both runs one `UpdateItem`,
//! since a tag is used when its favorites are listed; for a page that follows another, a `GetItem` of the tag.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::dynamodb::batch;
use shared::http::answer;
use shared::http::page::Page;
use shared::http::request::{Caller, path};
use shared::model::entity;
use shared::model::favorites;
use shared::model::favorites::{
    ClipPosition, Favorite, FavoriteTag, Favorites, GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, Key, favorites_of_tag_pk,
};
use shared::values::{DataId, EpochMillis, TagId, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(list_favorites_by_tag).await
}

async fn list_favorites_by_tag(table: Table, request: Request) -> Result<Response, Error> {
    let username: Username = path(&request, "username")?;
    let tag_id: TagId = path(&request, "tagId")?;
    Caller::of(&request)?.must_be(&username)?;
    let page: Page<ClipPosition> = Page::of(&request, "favorites-by-tag", format!("{username} {tag_id}"))?;

    let first_page = page.after.is_none();

    let list = async {
        let start_key = page.after.as_ref().map(|last| {
            let mut key = Item::from(Key::favorite_tag(&username, &last.data_id, &tag_id));
            key.insert(GSI_ONE_PK.to_owned(), S(favorites_of_tag_pk(&username, &tag_id)));
            key.insert(GSI_ONE_SK.to_owned(), S(last.to_string()));
            key
        });
        // At most 100 to a page, which is also the most that BatchGetItem takes.
        let output = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(GSI_ONE)
            .key_condition_expression("gsiOnePk = :favorites")
            .expression_attribute_values(":favorites", S(favorites_of_tag_pk(&username, &tag_id)))
            .scan_index_forward(false)
            .set_exclusive_start_key(start_key)
            .limit(page.limit)
            .send()
            .await?;
        let entries = output.items.unwrap_or_default().into_iter().map(|item| FavoriteTag::of(&username, item));
        let entries: Vec<FavoriteTag> = entries.collect::<Result<_, _>>()?;
        let next_cursor =
            page.next_cursor(output.last_evaluated_key, entries.last().map(FavoriteTag::clip_position))?;

        let keys = entries.iter().map(|entry| Key::favorite(&username, &entry.data_id).into()).collect();
        let found: Vec<Favorite> = entity::from_items(batch::get(&table, keys, false).await?)?;
        let mut found: HashMap<DataId, Favorite> =
            found.into_iter().map(|favorite| (favorite.data_id.clone(), favorite)).collect();

        // BatchGetItem answers in any order, and the index may still have what was taken out just now.
        let favorites = entries.iter().filter_map(|entry| found.remove(&entry.data_id)).collect();
        Ok::<_, Error>(Favorites { favorites, next_cursor })
    };
    // A tag is used when its favorites are listed, once for all pages; on those that follow it need only be there. That is
    // read consistently: of a tag that is deleted, the index may have entries for a while.
    let is_used = async {
        let key = Some(Key::tag(&username, &tag_id).into());
        if !first_page {
            let get = table.client.get_item().table_name(&table.name).set_key(key).consistent_read(true);
            return Ok(get.send().await?.item.is_some());
        }
        let now = EpochMillis::now();
        let used = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(key)
            .condition_expression("attribute_exists(pk)")
            .update_expression("SET lastAccessTime = :now, lsiThreeSk = :time")
            .expression_attribute_values(":now", favorites::number(now))
            .expression_attribute_values(":time", S(now.to_string()))
            .send()
            .await;
        match used {
            Err(error)
                if error.as_service_error().is_some_and(UpdateItemError::is_conditional_check_failed_exception) =>
            {
                Ok(false)
            }
            Err(error) => Err(Error::from(error)),
            Ok(_) => Ok(true),
        }
    };

    // Both are on the heap because several requests make a large future.
    let (favorites, is_there) = tokio::join!(Box::pin(list), Box::pin(is_used));
    if !is_there? {
        return Err(Error::no_tag(&tag_id));
    }
    answer::ok(&favorites?)
}
