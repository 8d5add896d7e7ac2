//! `PUT /people/{personId}`: creates or replaces a whole person by one `PutItem`, on the condition that `If-Match` or
//! `If-None-Match` states. A person can have any attributes beyond their key.

use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::dynamodb::Item;
use shared::http::document::read_document;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path, query};
use shared::http::versioned;
use shared::model::catalogue::{EDITORS, PERSON_ID, person_key};
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(put_person).await
}

async fn put_person(table: Table, request: Request) -> Result<Response, Error> {
    let person_id: PersonId = path(&request, "personId")?;
    Caller::of(&request)?.must_be_in(EDITORS)?;
    let format = query(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let precondition = Precondition::of(&request)?;
    let person: Item = read_document(&request, format, &person_key(&person_id))?;

    let condition = precondition.condition(PERSON_ID);
    let put = table
        .client
        .put_item()
        .table_name(&table.name)
        .set_item(Some(person.clone()))
        .set_condition_expression(condition.expression)
        .set_expression_attribute_names(condition.names)
        .set_expression_attribute_values(condition.values)
        .return_values(ReturnValue::AllOld)
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;

    if versioned::is_new(put, &person, &precondition)? {
        versioned::created(&format!("/people/{person_id}"), format, person)
    } else {
        versioned::ok(format, person)
    }
}
