//! `DELETE /music/{artist}/{songTitle}`: takes a song out, by one `DeleteItem` on the condition that `If-Match` or
//! `If-None-Match` states. Where there is none, all is as it should be, whatever the condition: it may be this very
//! request that took it out, [repeated after a lost answer](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1).

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::http::answer;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path};
use shared::model::catalogue::{ARTIST, EDITORS, song_key};
use shared::values::{Artist, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_song).await
}

async fn delete_song(table: Table, request: Request) -> Result<Response, Error> {
    let artist: Artist = path(&request, "artist")?;
    let title: SongTitle = path(&request, "songTitle")?;
    Caller::of(&request)?.must_be_in(EDITORS)?;
    let condition = Precondition::of(&request)?.condition(ARTIST);

    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(song_key(&artist, &title)))
        .set_condition_expression(condition.expression)
        .set_expression_attribute_names(condition.names)
        .set_expression_attribute_values(condition.values)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;

    match deleted {
        Ok(_) => Ok(answer::no_content()),
        Err(error) => match error.as_service_error() {
            Some(DeleteItemError::ConditionalCheckFailedException(failed)) if failed.item.is_none() => {
                Ok(answer::no_content())
            }
            Some(DeleteItemError::ConditionalCheckFailedException(_)) => Err(Error::Stale),
            _ => Err(error.into()),
        },
    }
}
