//! `PUT /music/{artist}/{songTitle}`: a song as a whole, new or in the place of another, by one `PutItem` on the condition
//! that `If-Match` or `If-None-Match` states. Whatever attributes it has beyond its key, it keeps.

use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::catalogue::{
    ALBUM_TITLE, ARTIST, EDITORS, GENRE, MOST_PARTITION_KEY, MOST_SORT_KEY, document, indexed, song_key, song_path,
};
use shared::document::write;
use shared::items::Item;
use shared::precondition::{Precondition, VERSION, take_tag};
use shared::request::{Caller, path, query};
use shared::values::{Artist, DocumentForm, SongTitle};
use shared::{Error, Request, Response, Table, answer};

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
    let form = query(&request, "format")?.unwrap_or(DocumentForm::Json);
    let precondition = Precondition::of(&request)?;
    let mut song: Item = document(&request, form, &song_key(&artist, &title))?;
    indexed(&song, GENRE, MOST_PARTITION_KEY)?;
    indexed(&song, ALBUM_TITLE, MOST_SORT_KEY)?;

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
                precondition == Precondition::Missing
            }
            _ => return Err(error.into()),
        },
    };
    let tag = take_tag(&mut song);
    let song = write(form, &song)?;
    let response = if is_new { answer::created(&song_path(&artist, &title), &song)? } else { answer::ok(&song)? };
    answer::tagged(response, &tag)
}
