//! `GET /music/{artist}/{songTitle}`: returns a song with all its attributes by one `GetItem`.

use shared::catalogue::{song_key, versioned};
use shared::document::Document;
use shared::http::request::{Caller, escaped_path, query};
use shared::values::{Artist, DocumentFormat, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_query(&["format"], get_song).await
}

async fn get_song(table: Table, request: Request) -> Result<Response<Document>, Error> {
    let artist: Artist = escaped_path(&request, "artist")?;
    let title: SongTitle = escaped_path(&request, "songTitle")?;
    Caller::from_request(&request)?;
    let format = query::<DocumentFormat>(&request, "format")?.unwrap_or(DocumentFormat::Json);

    let output =
        table.client.get_item().table_name(&table.name).set_key(Some(song_key(&artist, &title))).send().await?;

    let song = output.item.ok_or_else(|| Error::NotFound(format!("song {title} by {artist}")))?;
    versioned::ok(format, song)
}
