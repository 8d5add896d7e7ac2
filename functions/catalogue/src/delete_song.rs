//! `DELETE /music/{artist}/{songTitle}`: deletes a song, on the condition that `If-Match` or
//! `If-None-Match` states. If there is no such song, the answer is 204, also if the condition
//! fails, so a caller that lost the answer may repeat the request.
//!
//! One `TransactWriteItems` of one delete. If its answer is lost, DynamoDB recognises the retry of
//! the SDK by its `ClientRequestToken`. The retry of a `DeleteItem` would delete a song that
//! somebody put in between.

use aws_sdk_dynamodb::types::{Delete, ReturnValuesOnConditionCheckFailure};
use shared::catalogue::{ARTIST, EDITORS, song_key, versioned};
use shared::dynamodb::transaction::Transaction;
use shared::http::answer;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, escaped_path};
use shared::values::{Artist, SongTitle};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_preconditions(&[], delete_song).await
}

async fn delete_song(table: Table, request: Request) -> Result<Response<()>, Error> {
    let artist: Artist = escaped_path(&request, "artist")?;
    let title: SongTitle = escaped_path(&request, "songTitle")?;
    Caller::from_request(&request)?.must_be_in(EDITORS)?;
    let condition = Precondition::from_request(&request)?.condition(ARTIST);

    let delete = Delete::builder()
        .table_name(&table.name)
        .set_key(Some(song_key(&artist, &title)))
        .set_condition_expression(condition.expression)
        .set_expression_attribute_names(condition.names)
        .set_expression_attribute_values(condition.values)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let mut transaction = Transaction::new();
    let delete = transaction.delete(delete);

    versioned::check_deleted(&transaction.write(&table.client).await?, delete)?;
    Ok(answer::no_content())
}
