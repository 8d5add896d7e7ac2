//! Writes of catalogue items, which have a version that changes with every write, and answers about
//! them.
//!
//! The functions that put, get and update a song or a person answer with a document and its entity
//! tag. Each function builds its own request. The loop of a conditional put and the result of a
//! conditional delete are here.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::operation::put_item::{PutItemError, PutItemOutput};

use super::precondition::{Condition, Precondition, VERSION, take_tag};
use crate::document::{Document, write};
use crate::dynamodb::Item;
use crate::dynamodb::transaction::{Outcome, Write};
use crate::http::answer;
use crate::values::DocumentFormat;
use crate::{Error, Response};

/// The retry budget of a [`put`] without a precondition: the maximum number of attempts, which are
/// creates and replacements in turn. A third attempt follows only if a concurrent request has
/// deleted the item between the first two, so it needs no pause.
pub const MAX_PUT_ATTEMPTS: usize = 10;

/// Returns a 200 with the item as a document and its version as the entity tag.
pub fn ok(format: DocumentFormat, mut item: Item) -> Result<Response<Document>, Error> {
    let tag = take_tag(&mut item);
    answer::tagged(answer::ok(&write(format, &item)?)?, &tag)
}

/// Returns a 201 with the item as a document, its version as the entity tag, and `location` as the
/// path to it.
pub fn created(location: &str, format: DocumentFormat, mut item: Item) -> Result<Response<Document>, Error> {
    let tag = take_tag(&mut item);
    answer::tagged(answer::created_at(location, &write(format, &item)?)?, &tag)
}

/// The outcome of a [`put`] whose precondition the item met.
#[derive(Debug)]
pub enum Put {
    /// There was no such item.
    Created,
    /// The item has replaced another one.
    Replaced,
}

/// Sends the `PutItem` of an item that `request` builds for a condition, which is that of the
/// precondition `given`.
///
/// Without a precondition, the first `PutItem` has the condition that there is no such item, and a
/// second one replaces the item if there is one. So the caller learns whether the item is new. The
/// old item that an unconditional `PutItem` returns does not tell: if the first answer is lost, the
/// retry of the SDK returns the function's own item.
///
/// The request must set `ReturnValuesOnConditionCheckFailure` to `ALL_OLD`.
pub async fn put(
    given: &Precondition,
    pk: &str,
    item: &Item,
    request: impl Fn(Condition) -> PutItemFluentBuilder,
) -> Result<Put, Error> {
    let mut attempted = if *given == Precondition::None { Precondition::NotExists } else { given.clone() };
    for _ in 0..MAX_PUT_ATTEMPTS {
        let put = request(attempted.condition(pk)).send().await;
        attempted = match (is_put(put, item)?, attempted) {
            (true, Precondition::NotExists) => return Ok(Put::Created),
            (true, _) => return Ok(Put::Replaced),
            (false, _) if *given != Precondition::None => return Err(Error::PreconditionFailed),
            (false, Precondition::NotExists) => Precondition::Exists,
            (false, _) => Precondition::NotExists,
        };
    }
    Err(Error::Busy("the item appeared or disappeared before each attempt to put it".into()))
}

/// Returns whether the item is put, and `false` if the condition failed.
///
/// After a lost answer the SDK sends the request again, and its condition may fail on the item that
/// the first one has put. The version, which no other write has, tells this success from a real
/// failure.
fn is_put(put: Result<PutItemOutput, SdkError<PutItemError>>, item: &Item) -> Result<bool, Error> {
    let Err(error) = put else { return Ok(true) };
    let Some(PutItemError::ConditionalCheckFailedException(failed)) = error.as_service_error() else {
        return Err(error.into());
    };
    Ok(failed.item.as_ref().is_some_and(|stored| stored.get(VERSION) == item.get(VERSION)))
}

/// Interprets the outcome of a transaction whose only write, `delete`, deletes an item on a
/// precondition: the item is deleted, or the precondition failed.
///
/// The request must set `ReturnValuesOnConditionCheckFailure` to `ALL_OLD`.
///
/// If there is no item, the delete has succeeded, also with a precondition, because an earlier
/// request may have deleted the item and its answer may be lost. [RFC
/// 9110](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1) allows this.
pub fn check_deleted(outcome: &Outcome, delete: Write) -> Result<(), Error> {
    match outcome {
        Outcome::Committed => Ok(()),
        Outcome::ConditionFailed(failed) => match failed.item(delete) {
            None => Ok(()),
            Some(_) => Err(Error::PreconditionFailed),
        },
    }
}
