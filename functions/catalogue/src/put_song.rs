//! `PUT /music/{artist}/{songTitle}`: creates or replaces a whole song by one `PutItem`, on the
//! condition that `If-Match` or `If-None-Match` states. A song can have any attributes beyond its
//! key.
//!
//! Without such a header, the first `PutItem` has the condition that there is no such song, and a
//! second one replaces the song if there is one ([`versioned::put`]).

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::catalogue::document::read_document;
use shared::catalogue::versioned::{self, Put};
use shared::catalogue::{ALBUM_TITLE, ARTIST, EDITORS, GENRE, check_index_key, song_key, song_path};
use shared::document::Document;
use shared::dynamodb::Item;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, escaped_path, query};
use shared::values::{Artist, DocumentFormat, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_preconditions(&["format"], put_song).await
}

async fn put_song(table: Table, request: Request) -> Result<Response<Document>, Error> {
    let artist: Artist = escaped_path(&request, "artist")?;
    let title: SongTitle = escaped_path(&request, "songTitle")?;
    Caller::from_request(&request)?.must_be_in(EDITORS)?;
    let format = query::<DocumentFormat>(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let given = Precondition::from_request(&request)?;
    let song: Item = read_document(&request, format, &song_key(&artist, &title))?;
    check_index_key(&song, GENRE, MAX_PARTITION_KEY_BYTES)?;
    check_index_key(&song, ALBUM_TITLE, MAX_SORT_KEY_BYTES)?;

    let put = versioned::put(&given, ARTIST, &song, |condition| {
        table
            .client
            .put_item()
            .table_name(&table.name)
            .set_item(Some(song.clone()))
            .set_condition_expression(condition.expression)
            .set_expression_attribute_names(condition.names)
            .set_expression_attribute_values(condition.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    });
    match put.await? {
        Put::Created => versioned::created(&song_path(&artist, &title), format, song),
        Put::Replaced => versioned::ok(format, song),
    }
}
