//! One `UpdateItem` applies the merge patch, on the condition that `If-Match` or `If-None-Match`
//! states.
//!
//! The update expression has the path of each change, so concurrent patches of different members of
//! one map do not overwrite each other, and an attribute that the patch does not name keeps its
//! type. The function reads nothing first: it assumes that each attribute into which the patch
//! merges is a map, and the condition checks this. If the condition fails, DynamoDB returns the
//! item, and a second `UpdateItem` sets a whole map where there was none.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::AttributeValue::{self, S};
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::document::{AttributeChange, AttributeChanges, Document, MAX_BYTES, apply, patch, within_limits};
use shared::dynamodb::Item;
use shared::entities::{PERSON_ID, person_key};
use shared::http::document::{check_key_attribute, check_no_version, invalid};
use shared::http::extract::{DocumentText, Editor, Path, Query};
use shared::http::precondition::{Precondition, VERSION, new_version};
use shared::http::versioned;
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

use update::Update;

#[cfg(test)]
mod tests;
mod update;

/// The retry budget: the maximum number of attempts. Each attempt is one `UpdateItem`. Another
/// attempt follows only if a concurrent request has changed an attribute to a map, or from a map,
/// since the one before, so it needs no pause.
const MAX_ATTEMPTS: usize = 10;

/// The route.
pub struct UpdatePerson {
    table: Table,
}

impl Route for UpdatePerson {
    const NAME: &'static str = "update-person";
    const ROUTE: &'static str = "PATCH /people/{personId}";
    const SUMMARY: &'static str = "Applies a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) to a person, at any depth, on \
         the condition that `If-Match` or `If-None-Match` states.";
    const SUCCESSES: &'static [Success] = &[Success::OK.versioned()];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NoPerson];

    type Input = (Path<PersonId>, Editor, Query<DocumentFormat>, Precondition, DocumentText);
    type Body = Document;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self { table: process.table("TABLE_NAME")? })
    }

    async fn answer(
        &self,
        (Path(person_id), Editor(_), Query(format), precondition, DocumentText(text)): Self::Input,
    ) -> Result<Response<Document>, Error> {
        let Self { table } = self;
        let key = person_key(&person_id);
        let changes = parse_changes(&text, format, &key)?;

        let version = S(new_version());
        let base = Update::new(precondition.condition(PERSON_ID), &version);
        let mut update = first_update(&base, &changes, &key)?;
        for _ in 0..MAX_ATTEMPTS {
            let updated = table
                .client
                .update_item()
                .table_name(&table.name)
                .set_key(Some(key.clone()))
                .update_expression(update.expression())
                .condition_expression(update.condition())
                .set_expression_attribute_names(Some(update.names.clone()))
                .set_expression_attribute_values(Some(update.values.clone()))
                .return_values(ReturnValue::AllNew)
                .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
                .send()
                .await;

            let current = match interpret(updated, &person_id, &version)? {
                UpdateResult::Updated(person) => return versioned::ok(format, person),
                UpdateResult::ConditionFailed(current) => current,
            };
            let next = base.clone().with_changes(&changes, &current)?;
            if next.conditions == update.conditions {
                // Every map is as the update assumed, so the precondition failed.
                return Err(Error::PreconditionFailed);
            }
            update = next;
        }
        Err(Error::Busy(format!("person {person_id} changed during each of {MAX_ATTEMPTS} updates").into()))
    }
}

/// Parses the patch in the body. A key attribute that equals the path is left out, because it
/// changes nothing.
fn parse_changes(text: &str, format: DocumentFormat, key: &Item) -> Result<AttributeChanges, Error> {
    let mut changes = patch(format, text).map_err(invalid)?;
    check_no_version(changes.iter().map(|(name, _)| name))?;
    if let Some(index) = changes.iter().position(|(name, _)| name == PERSON_ID) {
        let given = match changes.remove(index) {
            (_, AttributeChange::Set(value)) => Some(value),
            (_, AttributeChange::Remove | AttributeChange::Merge(_)) => None,
        };
        check_key_attribute(PERSON_ID, given.as_ref(), &key[PERSON_ID])?;
    }
    Ok(changes)
}

/// Returns the update to try first.
///
/// It assumes that every attribute into which the patch merges is a map. If the paths inside these
/// maps do not fit into the expressions, it assumes that none of them exists. Each map is then one
/// change.
fn first_update(base: &Update, changes: &AttributeChanges, key: &Item) -> Result<Update, Error> {
    let expected = apply(changes, key.clone());
    within_limits(&expected).map_err(invalid)?;
    base.clone().with_changes(changes, &expected).or_else(|_| base.clone().with_changes(changes, &Item::new()))
}

/// The result of an update that DynamoDB processed.
enum UpdateResult {
    /// The person after the update.
    Updated(Item),
    /// The person as they are. Nothing was updated, because a map or the precondition is not as the
    /// condition says.
    ConditionFailed(Item),
}

/// Interprets the answer of DynamoDB to an update that sets `version`.
fn interpret(
    updated: Result<UpdateItemOutput, SdkError<UpdateItemError>>,
    person_id: &PersonId,
    version: &AttributeValue,
) -> Result<UpdateResult, Error> {
    let error = match updated {
        Ok(output) => return Ok(UpdateResult::Updated(output.attributes.unwrap_or_default())),
        Err(error) => error,
    };
    if error.message().is_some_and(|message| message.starts_with("Item size to update")) {
        return Err(Error::invalid(
            "body",
            format!("must be smaller, because it makes the item larger than {MAX_BYTES} bytes (400 KB)"),
        ));
    }
    let Some(UpdateItemError::ConditionalCheckFailedException(failed)) = error.as_service_error() else {
        return Err(error.into());
    };
    let current = failed
        .item
        .clone()
        .ok_or_else(|| Error::refused(ErrorKind::NoPerson, format!("There is no person {person_id}.")))?;
    // After a lost answer the SDK repeats the request, and the condition may fail on what the first
    // one wrote.
    if current.get(VERSION) == Some(version) {
        Ok(UpdateResult::Updated(current))
    } else {
        Ok(UpdateResult::ConditionFailed(current))
    }
}
