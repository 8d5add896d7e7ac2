//! One `GetItem` reads the song.

use shared::document::Document;
use shared::entities::song_key;
use shared::http::extract::{Path, Query};
use shared::http::request::Caller;
use shared::http::versioned;
use shared::values::{Artist, DocumentFormat, SongTitle};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct GetSong {
    table: Table,
}

impl Route for GetSong {
    const NAME: &'static str = "get-song";
    const ROUTE: &'static str = "GET /music/{artist}/{songTitle}";
    const SUMMARY: &'static str = "Returns a song with all its attributes.";
    const SUCCESSES: &'static [Success] = &[Success::OK.versioned()];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoSong];

    type Input = (Path<Artist>, Path<SongTitle>, Caller, Query<DocumentFormat>);
    type Body = Document;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(artist), Path(title), _, Query(format)): Self::Input,
    ) -> Result<Response<Document>, Error> {
        let Self { table } = self;
        let output =
            table.client.get_item().table_name(&table.name).set_key(Some(song_key(&artist, &title))).send().await?;

        let song = output
            .item
            .ok_or_else(|| Error::refused(ErrorKind::NoSong, format!("There is no song {title} by {artist}.")))?;
        versioned::ok(format, song)
    }
}
