//! One `Query` on the global secondary index `GenreAlbumTitle` reads the albums.
//!
//! The index has an entry for each song, so an album with two songs is listed twice. A song without
//! a genre or an album is not in the index.

use aws_sdk_dynamodb::types::AttributeValue::S;
use serde::{Deserialize, Serialize};
use shared::document::write;
use shared::dynamodb::Item;
use shared::entities::{ALBUM_TITLE, ARTIST, GENRE, GENRE_ALBUM_TITLE, SONG_TITLE};
use shared::http::answer;
use shared::http::extract::{OptionalQuery, Path, Query};
use shared::http::page::{Page, PageParameters};
use shared::http::request::Caller;
use shared::show::Albums;
use shared::values::{DocumentFormat, Genre, TitlePrefix};
use shared::{Error, Process, Response, Route, StartError, Table};

#[cfg(test)]
mod tests;

/// The position of an entry in the list of a genre, for cursors.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AlbumPosition {
    album_title: String,
    artist: String,
    song_title: String,
}

/// The route.
pub struct ListAlbumsByGenre {
    table: Table,
}

impl Route for ListAlbumsByGenre {
    const NAME: &'static str = "list-albums-by-genre";
    const ROUTE: &'static str = "GET /genres/{genre}/albums";
    const SUMMARY: &'static str =
        "Lists the albums of a genre by title, or those whose titles begin with `titlePrefix`.";

    type Input = (Path<Genre>, Caller, Query<DocumentFormat>, OptionalQuery<TitlePrefix>, PageParameters);
    type Body = Albums;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(genre), _, Query(format), OptionalQuery(prefix), page): Self::Input,
    ) -> Result<Response<Albums>, Error> {
        let Self { table } = self;
        let prefix = prefix.as_ref().map_or("", |prefix| prefix.as_ref());
        // A genre has no line feed, so the cursors of two lists never have the same scope.
        let page: Page<AlbumPosition> = page.of("albums", format!("{genre}\n{prefix}"))?;

        let start_key = page.after.as_ref().map(|last| {
            Item::from([
                (GENRE.to_owned(), S(genre.to_string())),
                (ALBUM_TITLE.to_owned(), S(last.album_title.clone())),
                (ARTIST.to_owned(), S(last.artist.clone())),
                (SONG_TITLE.to_owned(), S(last.song_title.clone())),
            ])
        });
        let query = table
            .client
            .query()
            .table_name(&table.name)
            .index_name(GENRE_ALBUM_TITLE)
            .expression_attribute_values(":genre", S(genre.to_string()))
            .set_exclusive_start_key(start_key)
            .limit(page.limit);
        let query = if prefix.is_empty() {
            query.key_condition_expression("Genre = :genre")
        } else {
            query
                .key_condition_expression("Genre = :genre AND begins_with(AlbumTitle, :prefix)")
                .expression_attribute_values(":prefix", S(prefix.to_owned()))
        };
        let output = query.send().await?;

        let items = output.items.unwrap_or_default();
        let albums = items.iter().map(|item| write(format, item)).collect::<Result<_, _>>()?;
        let last = items.last().map(|item| {
            let attribute = |name: &str| item.get(name).and_then(|text| text.as_s().ok()).cloned().unwrap_or_default();
            AlbumPosition {
                album_title: attribute(ALBUM_TITLE),
                artist: attribute(ARTIST),
                song_title: attribute(SONG_TITLE),
            }
        });
        let next_cursor = page.next_cursor(output.last_evaluated_key, last)?;
        answer::ok(&Albums { albums, next_cursor })
    }
}
