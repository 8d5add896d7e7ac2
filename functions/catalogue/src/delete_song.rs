//! One `TransactWriteItems` of one delete. If its answer is lost, DynamoDB recognises the retry of
//! the SDK by its `ClientRequestToken`. The retry of a `DeleteItem` would delete a song that
//! somebody put in between.

use aws_sdk_dynamodb::types::{Delete, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::transaction::Transaction;
use shared::entities::{ARTIST, song_key};
use shared::http::answer;
use shared::http::extract::{Editor, Path};
use shared::http::precondition::Precondition;
use shared::http::versioned;
use shared::values::{Artist, SongTitle};
use shared::{Error, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct DeleteSong {
    table: Table,
}

impl Route for DeleteSong {
    const NAME: &'static str = "delete-song";
    const ROUTE: &'static str = "DELETE /music/{artist}/{songTitle}";
    const SUMMARY: &'static str = "Deletes a song, on the condition that `If-Match` or `If-None-Match` states. If there is no such \
         song, the answer is 204, also if the condition fails, so a caller that lost the answer may repeat \
         the request.";
    const SUCCESSES: &'static [Success] = &[Success::no_content("There is no such song.")];

    type Input = (Path<Artist>, Path<SongTitle>, Editor, Precondition);
    type Body = ();

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(artist), Path(title), Editor(_), precondition): Self::Input,
    ) -> Result<Response<()>, Error> {
        let Self { table } = self;
        let condition = precondition.condition(ARTIST);

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
}
