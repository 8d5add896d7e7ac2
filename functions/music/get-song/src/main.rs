//! `GET /music/{artist}/{songTitle}`: a song with all that it has, by one `GetItem`.

use shared::document::write;
use shared::http::answer;
use shared::http::precondition::take_tag;
use shared::http::request::{Caller, path, query};
use shared::model::catalogue::song_key;
use shared::values::{Artist, DocumentFormat, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(get_song).await
}

async fn get_song(table: Table, request: Request) -> Result<Response, Error> {
    let artist: Artist = path(&request, "artist")?;
    let title: SongTitle = path(&request, "songTitle")?;
    Caller::of(&request)?;
    let form = query(&request, "format")?.unwrap_or(DocumentFormat::Json);

    let output =
        table.client.get_item().table_name(&table.name).set_key(Some(song_key(&artist, &title))).send().await?;

    let mut song = output.item.ok_or_else(|| Error::NotFound(format!("song {title} by {artist}")))?;
    let tag = take_tag(&mut song);
    answer::tagged(answer::ok(&write(form, &song)?)?, &tag)
}
