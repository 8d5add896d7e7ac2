//! One `Query` on the global secondary index gsiOne reads the tag's entries, and one `BatchGetItem`
//! their favorites.
//!
//! At the same time, the first page records that the tag is used, by one `UpdateItem`. The other
//! pages check that the tag exists, by one consistent `GetItem`. [`list_tagged_favorites`] sends
//! all of these requests.
//!
//! If favorites of the page refer to photos of the app, one `BatchGetItem` reads these.

use aws_sdk_dynamodb::types::AttributeValue::S;
use shared::dynamodb::Item;
use shared::entities::{
    ClipPosition, GSI_ONE, GSI_ONE_PK, GSI_ONE_SK, Key, favorites_of_tag_pk, list_tagged_favorites,
};
use shared::http::answer;
use shared::http::extract::{Owner, Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::{Favorites, PhotoTables, Signer};
use shared::values::{PhotosParts, TagId};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct ListFavoritesByTag {
    table: Table,
    tables: PhotoTables,
    signer: Signer,
}

impl Route for ListFavoritesByTag {
    const NAME: &'static str = "list-favorites-by-tag";
    const ROUTE: &'static str = "GET /users/{username}/tags/{tagId}/favorites";
    const SUMMARY: &'static str = "Lists the favorites that carry a tag, newest first.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoTag];

    type Input = (Owner, Path<TagId>, Query<PhotosParts>, PageParameters);
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
        (Owner(Caller { username, .. }), Path(tag_id), Query(include), page): Self::Input,
    ) -> Result<Response<Favorites>, Error> {
        let Self { table, tables, signer } = self;
        let page: Page<ClipPosition> = page.of("favorites-by-tag", format!("{username} {tag_id}"))?;

        let favorites = S(favorites_of_tag_pk(&username, &tag_id));
        let start_key = page.after.as_ref().map(|last| {
            let mut key = Item::from(Key::favorite_tag(&username, &last.data_id, &tag_id));
            key.insert(GSI_ONE_PK.to_owned(), favorites.clone());
            key.insert(GSI_ONE_SK.to_owned(), S(last.to_string()));
            key
        });
        let entries = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(GSI_ONE)
            .key_condition_expression("gsiOnePk = :favorites")
            .expression_attribute_values(":favorites", favorites)
            .scan_index_forward(false)
            .set_exclusive_start_key(start_key)
            .limit(page.limit);

        let is_first_page = page.after.is_none();
        let (favorites, last) = list_tagged_favorites(table, &username, &tag_id, entries, is_first_page).await?;
        let next_cursor = page.cursor(last)?;
        answer::private(&signer.show_favorites(tables, favorites, &username, include, next_cursor).await?)
    }
}
