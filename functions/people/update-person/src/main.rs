//! `PATCH /people/{personId}`: a [JSON merge patch](https://www.rfc-editor.org/rfc/rfc7396) of a person, at any depth, by
//! one `UpdateItem` with the path of each change, so that patches of different lines of one address don't undo each
//! other, and a set stays a set. Nothing is read first: if some map that is merged into is no map, DynamoDB refuses the
//! update and says what is there, and a second one puts the whole map in its place.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::AttributeValue::{self, M, N, S};
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use shared::document::{Change, Changes, MAX_BYTES, Number, apply, patch, within_limits, write};
use shared::dynamodb::Item;
use shared::http::answer;
use shared::http::document::{MAX_DOCUMENT_BYTES, invalid};
use shared::http::precondition::{Precondition, take_tag};
use shared::http::request::{Caller, json_body, path, query};
use shared::model::catalogue::{EDITORS, PERSON_ID, person_key};
use shared::model::catalogue::{VERSION, new_version};
use shared::values::{DocumentFormat, PersonId};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// How often an update is built while others make maps of what is none, and the other way round.
const MAX_ATTEMPTS: usize = 10;
/// The most bytes of an expression.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters>
const MAX_BYTES_OF_EXPRESSION: usize = 4096;
/// The most conditions: an expression has at most 300 operators, of which each condition of a map takes up to three
/// (`AND NOT attribute_type`), and the precondition some forty.
const MAX_CONDITIONS: usize = 80;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    shared::run(update_person).await
}

/// The parts of the expressions, with `#1`, `#2` … for names and `:1`, `:2` … for values.
#[derive(Clone)]
struct Update {
    set: Vec<String>,
    remove: Vec<String>,
    conditions: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

async fn update_person(table: Table, request: Request) -> Result<Response, Error> {
    let person_id: PersonId = path(&request, "personId")?;
    Caller::of(&request)?.must_be_in(EDITORS)?;
    let form = query(&request, "format")?.unwrap_or(DocumentFormat::Json);
    let precondition = Precondition::of(&request)?.condition(PERSON_ID);
    let changes = read(&person_id, form, &request)?;

    let version = S(new_version());
    let mut empty = Update {
        set: vec!["#version=:version".to_owned()],
        remove: vec![],
        conditions: vec!["attribute_exists(PersonID)".to_owned()],
        names: precondition.names.unwrap_or_default(),
        values: precondition.values.unwrap_or_default(),
    };
    empty.conditions.extend(precondition.expression.map(|wanted| format!("({wanted})")));
    empty.names.insert("#version".to_owned(), VERSION.to_owned());
    empty.values.insert(":version".to_owned(), version.clone());

    // What the patch makes of nothing has a map wherever one is merged into: so the person should be. If that is too
    // much for the expressions, then perhaps nothing is there: a new map is one change, whatever is in it.
    let expected = apply(&changes, person_key(&person_id));
    within_limits(&expected).map_err(invalid)?;
    let mut update = empty.clone().with(&changes, &expected).or_else(|_| empty.clone().with(&changes, &Item::new()))?;
    for _ in 0..MAX_ATTEMPTS {
        let updated = table
            .client
            .update_item()
            .table_name(&table.name)
            .set_key(Some(person_key(&person_id)))
            .update_expression(update.expression())
            .condition_expression(update.condition())
            .set_expression_attribute_names(Some(update.names.clone()))
            .set_expression_attribute_values(Some(update.values.clone()))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;

        let mut person = match updated {
            Ok(output) => output.attributes.unwrap_or_default(),
            Err(error) if error.message().is_some_and(|message| message.starts_with("Item size to update")) => {
                return Err(Error::invalid("body", format!("makes the item larger than {MAX_BYTES} bytes (400 KB)")));
            }
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                    let found = failed.item.clone().ok_or_else(|| Error::NotFound(format!("person {person_id}")))?;
                    // The SDK repeats a request whose answer was lost, and then finds what it made itself.
                    if found.get(VERSION) != Some(&version) {
                        let next = empty.clone().with(&changes, &found)?;
                        if next.conditions == update.conditions {
                            // Every map is as it was taken to be, so it is the precondition that failed.
                            return Err(Error::Stale);
                        }
                        update = next;
                        continue;
                    }
                    found
                }
                _ => return Err(error.into()),
            },
        };
        let tag = take_tag(&mut person);
        return answer::tagged(answer::ok(&write(form, &person)?)?, &tag);
    }
    Err(Error::Busy(format!("person {person_id} changed {MAX_ATTEMPTS} times meanwhile").into()))
}

impl Update {
    /// With the changes, for a person like this one. A map is changed inside; where there is none, all of it is set.
    /// Either way on the condition that it is so.
    fn with(mut self, changes: &Changes, person: &Item) -> Result<Self, Error> {
        self.add("", changes, person);
        let bytes = self.expression().len().max(self.condition().len());
        let count = self.names.len() - 1;
        let possible = if self.conditions.len() > MAX_CONDITIONS {
            format!("{MAX_CONDITIONS} of its {} maps", self.conditions.len())
        } else if bytes > MAX_BYTES_OF_EXPRESSION {
            format!("{} of its {count} changes", count * MAX_BYTES_OF_EXPRESSION / bytes)
        } else {
            return Ok(self);
        };
        Err(Error::invalid("body", format!("is too much for one update: about {possible} are possible")))
    }

    fn add(&mut self, parent: &str, changes: &Changes, there: &Item) {
        for (name, change) in changes {
            let number = self.names.len();
            let path = format!("{parent}#{number}");
            self.names.insert(format!("#{number}"), name.clone());
            let value = match (change, there.get(name)) {
                (Change::Remove, _) => {
                    self.remove.push(path);
                    continue;
                }
                (Change::Set(value), _) => value.clone(),
                (Change::Merge(changes), Some(M(map))) => {
                    self.values.insert(":map".to_owned(), S("M".to_owned()));
                    self.conditions.push(format!("attribute_type({path},:map)"));
                    self.add(&format!("{path}."), changes, map);
                    continue;
                }
                (Change::Merge(changes), _) => {
                    self.values.insert(":map".to_owned(), S("M".to_owned()));
                    self.conditions.push(format!("NOT attribute_type({path},:map)"));
                    M(apply(changes, Item::new()))
                }
            };
            self.set.push(format!("{path}=:{number}"));
            self.values.insert(format!(":{number}"), value);
        }
    }

    fn expression(&self) -> String {
        let remove = if self.remove.is_empty() { "" } else { " REMOVE " };
        format!("SET {}{remove}{}", self.set.join(","), self.remove.join(","))
    }

    fn condition(&self) -> String {
        self.conditions.join(" AND ")
    }
}

/// The changes, without one of the key that changes nothing.
fn read(person_id: &PersonId, form: DocumentFormat, request: &Request) -> Result<Changes, Error> {
    let body = json_body(request, MAX_DOCUMENT_BYTES)?;
    let text = str::from_utf8(body).map_err(|_| Error::Malformed("The body must be UTF-8.".to_owned()))?;
    let mut changes = patch(form, text).map_err(invalid)?;
    if changes.iter().any(|(name, _)| name == VERSION) {
        return Err(Error::invalid(VERSION, "is the name of an attribute of the server's own"));
    }
    if let Some(index) = changes.iter().position(|(name, _)| name == PERSON_ID) {
        let is_the_same = match changes.remove(index) {
            (_, Change::Set(N(number))) => Number::parse(&number) == Number::parse(person_id.as_ref()),
            _ => false,
        };
        if !is_the_same {
            return Err(Error::invalid(PERSON_ID, "must be what the path says, or be left out"));
        }
    }
    Ok(changes)
}
