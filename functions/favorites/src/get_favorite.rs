//! One `GetItem` reads the favorite.
//!
//! If it refers to a photo of the app, one `BatchGetItem` reads the photo.

use shared::dynamodb::entity;
use shared::entities::Key;
use shared::http::answer;
use shared::http::extract::{Owner, Path, Query};
use shared::http::request::Caller;
use shared::show::{PhotoTables, ShownFavorite, Signer};
use shared::values::{DataId, PhotosParts, ViewerParts};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetFavorite {
    table: Table,
    tables: PhotoTables,
    signer: Signer,
}

impl Route for GetFavorite {
    const NAME: &'static str = "get-favorite";
    const ROUTE: &'static str = "GET /users/{username}/favorites/{dataId}";
    const SUMMARY: &'static str = "Returns a favorite.";
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoFavorite];

    type Input = (Owner, Path<DataId>, Query<ViewerParts>);
    type Body = ShownFavorite;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            tables: PhotoTables::from_process(process)?,
            signer: Signer::from_process(process)?,
        })
    }

    async fn answer(
        &self,
        (Owner(Caller { username, .. }), Path(data_id), Query(ViewerParts { viewer })): Self::Input,
    ) -> Result<Response<ShownFavorite>, Error> {
        let Self { table, tables, signer } = self;
        let output = table
            .client
            .get_item()
            .table_name(&table.name)
            .set_key(Some(Key::favorite(&username, &data_id).into()))
            .send()
            .await?;

        let item = output.item.ok_or_else(|| Error::no_favorite(&data_id))?;
        let favorites = vec![entity::from_item(item)?];
        let include = PhotosParts { viewer, people: false };
        let shown = signer.show_favorites(tables, favorites, &username, include, None).await?;
        answer::private(shown.favorites.first().ok_or_else(|| Error::no_favorite(&data_id))?)
    }
}
