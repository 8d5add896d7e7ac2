//! `PUT /music/{artist}/{songTitle}`: creates or replaces a whole song by one `PutItem`, on the condition that
//! `If-Match` or `If-None-Match` states. A song can have any attributes beyond its key.
//!
//! Without such a header, the first `PutItem` has the condition that there is no such song, and a second one replaces
//! the song if there is one. So the function knows whether it has created the song. The old item that an unconditional
//! `PutItem` returns does not tell: if the first answer is lost, the retry of the SDK returns the function's own item.

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::catalogue::document::read_document;
use shared::catalogue::versioned;
use shared::catalogue::{
    ALBUM_TITLE, ARTIST, EDITORS, GENRE, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, check_index_key, song_key,
    song_path,
};
use shared::document::Document;
use shared::dynamodb::Item;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path, query};
use shared::values::{Artist, DocumentFormat, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The retry budget of a request without a precondition: the maximum number of attempts, which are creates and
/// replacements in turn. A third attempt follows only if a concurrent request has deleted the song between the first
/// two, so it needs no pause.
const MAX_ATTEMPTS: usize = 10;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_preconditions(put_song).await
}

async fn put_song(table: Table, request: Request) -> Result<Response<Document>, Error> {
    let artist: Artist = path(&request, "artist")?;
    let title: SongTitle = path(&request, "songTitle")?;
    Caller::of(&request)?.must_be_in(EDITORS)?;
    let format = query::<DocumentFormat>(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let given = Precondition::of(&request)?;
    let song: Item = read_document(&request, format, &song_key(&artist, &title))?;
    check_index_key(&song, GENRE, MAX_PARTITION_KEY_BYTES)?;
    check_index_key(&song, ALBUM_TITLE, MAX_SORT_KEY_BYTES)?;

    // Without a precondition, a create tells whether the song is new, also after a lost answer.
    let mut attempted = if given == Precondition::None { Precondition::NotExists } else { given.clone() };
    for _ in 0..MAX_ATTEMPTS {
        let condition = attempted.condition(ARTIST);
        let put = table
            .client
            .put_item()
            .table_name(&table.name)
            .set_item(Some(song.clone()))
            .set_condition_expression(condition.expression)
            .set_expression_attribute_names(condition.names)
            .set_expression_attribute_values(condition.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;

        attempted = match (versioned::is_put(put, &song)?, attempted) {
            (true, Precondition::NotExists) => return versioned::created(&song_path(&artist, &title), format, song),
            (true, _) => return versioned::ok(format, song),
            (false, _) if given != Precondition::None => return Err(Error::PreconditionFailed),
            (false, Precondition::NotExists) => Precondition::Exists,
            (false, _) => Precondition::NotExists,
        };
    }
    let cause = format!("the song appeared or disappeared before each of {MAX_ATTEMPTS} writes");
    Err(Error::Busy(cause.into()))
}
