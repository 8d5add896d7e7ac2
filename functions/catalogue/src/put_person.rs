//! `PUT /people/{personId}`: creates or replaces a whole person by one `PutItem`, on the condition
//! that `If-Match` or `If-None-Match` states. A person can have any attributes beyond their key.
//!
//! Without such a header, the first `PutItem` has the condition that there is no such person, and a
//! second one replaces the person if there is one ([`versioned::put`]).

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::catalogue::document::read_document;
use shared::catalogue::versioned::{self, Put};
use shared::catalogue::{EDITORS, PERSON_ID, person_key};
use shared::document::Document;
use shared::dynamodb::Item;
use shared::http::precondition::Precondition;
use shared::http::request::{Caller, path, query};
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    shared::run_with_preconditions(&["format"], put_person).await
}

async fn put_person(table: Table, request: Request) -> Result<Response<Document>, Error> {
    let person_id: PersonId = path(&request, "personId")?;
    Caller::from_request(&request)?.must_be_in(EDITORS)?;
    let format = query::<DocumentFormat>(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let given = Precondition::from_request(&request)?;
    let person: Item = read_document(&request, format, &person_key(&person_id))?;

    let put = versioned::put(&given, PERSON_ID, &person, |condition| {
        table
            .client
            .put_item()
            .table_name(&table.name)
            .set_item(Some(person.clone()))
            .set_condition_expression(condition.expression)
            .set_expression_attribute_names(condition.names)
            .set_expression_attribute_values(condition.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    });
    match put.await? {
        Put::Created => versioned::created(&format!("/people/{person_id}"), format, person),
        Put::Replaced => versioned::ok(format, person),
    }
}
