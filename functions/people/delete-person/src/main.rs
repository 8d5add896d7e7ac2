//! `DELETE /people/{personId}`: deletes a person by one `DeleteItem`, on the condition that `If-Match` or
//! `If-None-Match` states. If there is no such person, the answer is 204 whatever the condition says, so a caller that
//! lost the answer may repeat the request.

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::http::answer;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path};
use shared::http::versioned;
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

    versioned::check_deleted(deleted)?;
    Ok(answer::no_content())
}
