//! One `Query` on the local secondary index lsiOne reads the favorites.
//!
//! If favorites of the page refer to photos of the app, one `BatchGetItem` reads these.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::{Item, entity};
use shared::entities::{ClipPosition, Favorite, Key, LSI_ONE, LSI_ONE_SK, favorites_pk};
use shared::http::answer;
use shared::http::extract::{Owner, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{Favorites, PhotoTables, Signer};
use shared::values::PhotosParts;
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct ListFavorites {
    table: Table,
    tables: PhotoTables,
    signer: Signer,
}

impl Route for ListFavorites {
    const NAME: &'static str = "list-favorites";
    const ROUTE: &'static str = "GET /users/{username}/favorites";
    const SUMMARY: &'static str = "Lists the caller's favorites, newest first.";

    type Input = (Owner, Query<PhotosParts>, PageParameters);
    type Body = Favorites;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            tables: PhotoTables::from_process(process)?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Query(include), page): Self::Input,
    ) -> Result<Response<Favorites>, Error> {
        let Self { table, tables, signer } = self;
        let page: Page<ClipPosition> = page.of("favorites", &username)?;

        let start_key = page.after.as_ref().map(|last| {
            let mut key = Item::from(Key::favorite(&username, &last.data_id));
            key.insert(LSI_ONE_SK.to_owned(), S(last.to_string()));
            key
        });
        let output = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(LSI_ONE)
            .key_condition_expression("pk = :favorites")
            .expression_attribute_values(":favorites", S(favorites_pk(&username)))
            .scan_index_forward(false)
            .set_exclusive_start_key(start_key)
            .limit(page.limit)
            .send()
            .await?;

        let favorites: Vec<Favorite> = entity::from_items(output.items.unwrap_or_default())?;
        let last = favorites.last().map(Favorite::clip_position);
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::private(&signer.show_favorites(tables, favorites, &username, include, next_cursor).await?)
    }
}
