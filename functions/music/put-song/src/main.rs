//! `PUT /music/{artist}/{songTitle}`: a song as a whole, new or in the place of another, by one `PutItem` on the condition
//! that `If-Match` or `If-None-Match` states. Whatever attributes it has beyond its key, it keeps.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::document::write;
use shared::dynamodb::Item;
use shared::http::answer;
use shared::http::document::document;
use shared::http::precondition::{Precondition, take_tag};
use shared::http::request::{Caller, path, query};
use shared::model::catalogue::VERSION;
use shared::model::catalogue::{
    ALBUM_TITLE, ARTIST, EDITORS, GENRE, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, indexed, song_key, song_path,
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
    let form = query(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let precondition = Precondition::of(&request)?;
    let mut song: Item = document(&request, form, &song_key(&artist, &title))?;
    indexed(&song, GENRE, MAX_PARTITION_KEY_BYTES)?;
    indexed(&song, ALBUM_TITLE, MAX_SORT_KEY_BYTES)?;

    let version = song.get(VERSION).cloned();
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

    let is_new = match put {
        Ok(output) => output.attributes.is_none(),
        Err(error) => match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(failed)) => {
                // The SDK repeats a request whose answer was lost, and then finds what it put itself.
                let found = failed.item.as_ref().and_then(|item| item.get(VERSION));
                if found != version.as_ref() {
                    return Err(Error::Stale);
                }
                precondition == Precondition::NotExists
            }
            _ => return Err(error.into()),
        },
    };
    let tag = take_tag(&mut song);
    let song = write(form, &song)?;
    let response = if is_new { answer::created(&song_path(&artist, &title), &song)? } else { answer::ok(&song)? };
    answer::tagged(response, &tag)
}
