//! `DELETE /people/{personId}`: takes a person out, by one `DeleteItem` on the condition that `If-Match` or
//! `If-None-Match` states. Where there is none, all is as it should be, whatever the condition: it may be this very
//! request that took them out, [repeated after a lost answer](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1).

use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::http::answer;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path};
use shared::model::catalogue::{EDITORS, PERSON_ID, person_key};
use shared::values::PersonId;
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(delete_person).await
}

async fn delete_person(table: Table, request: Request) -> Result<Response, Error> {
    let person_id: PersonId = path(&request, "personId")?;
    Caller::of(&request)?.must_be_in(EDITORS)?;
    let condition = Precondition::of(&request)?.condition(PERSON_ID);

    let deleted = table
        .client
        .delete_item()
        .table_name(&table.name)
        .set_key(Some(person_key(&person_id)))
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
