//! `PUT /music/{artist}/{songTitle}`: creates or replaces a whole song by one `PutItem`, on the condition that
//! `If-Match` or `If-None-Match` states. A song can have any attributes beyond its key.

use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::Item;
use shared::http::document::read_document;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path, query};
use shared::http::versioned;
use shared::model::catalogue::{
    ALBUM_TITLE, ARTIST, EDITORS, GENRE, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, check_index_key, song_key,
    song_path,
};
use shared::values::{Artist, DocumentFormat, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(put_song).await
}

async fn put_song(table: Table, request: Request) -> Result<Response, Error> {
    let artist: Artist = path(&request, "artist")?;
    let title: SongTitle = path(&request, "songTitle")?;
    Caller::of(&request)?.must_be_in(EDITORS)?;
    let format = query(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let precondition = Precondition::of(&request)?;
    let song: Item = read_document(&request, format, &song_key(&artist, &title))?;
    check_index_key(&song, GENRE, MAX_PARTITION_KEY_BYTES)?;
    check_index_key(&song, ALBUM_TITLE, MAX_SORT_KEY_BYTES)?;

    let condition = precondition.condition(ARTIST);
    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(song.clone()))
        .set_condition_expression(condition.expression)
        .set_expression_attribute_names(condition.names)
        .set_expression_attribute_values(condition.values)
        .return_values(ReturnValue::AllOld)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;

    if versioned::is_new(put, &song, &precondition)? {
        versioned::created(&song_path(&artist, &title), format, song)
    } else {
        versioned::ok(format, song)
    }
}
