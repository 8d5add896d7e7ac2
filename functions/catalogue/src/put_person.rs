//! One `PutItem` creates or replaces the person, on the condition that `If-Match` or
//! `If-None-Match` states.
//!
//! Without such a header, the first `PutItem` has the condition that there is no such person, and a
//! second one replaces the person if there is one ([`versioned::put`]).

use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use shared::document::Document;
use shared::dynamodb::Item;
use shared::entities::{PERSON_ID, person_key};
use shared::http::document::read_document;
use shared::http::extract::{DocumentText, Editor, Path, Query};
use shared::http::precondition::Precondition;
use shared::http::versioned::{self, Put};
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The route.
pub struct PutPerson {
    table: Table,
}

impl Route for PutPerson {
    const NAME: &'static str = "put-person";
    const ROUTE: &'static str = "PUT /people/{personId}";
    const SUMMARY: &'static str = "Creates or replaces a whole person, on the condition that `If-Match` or `If-None-Match` states. A \
         person can have any attributes beyond their key.";
    const SUCCESSES: &'static [Success] = &[Success::OK.versioned(), Success::CREATED_AT.versioned()];

    type Input = (Path<PersonId>, Editor, Query<DocumentFormat>, Precondition, DocumentText);
    type Body = Document;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(person_id), Editor(_), Query(format), given, DocumentText(text)): Self::Input,
    ) -> Result<Response<Document>, Error> {
        let Self { table } = self;
        let person: Item = read_document(&text, format, &person_key(&person_id))?;

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
}
