//! Answers about catalogue items, which have a version that changes with every write.
//!
//! The functions that put, get and update a song or a person answer with a document and its entity tag. The functions
//! that put and delete one interpret the result of a conditional write here. Each function builds its own request.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::{PutItemError, PutItemOutput};

use crate::document::{Document, write};
use crate::dynamodb::Item;
use crate::dynamodb::transaction::Outcome;
use crate::http::answer;
use crate::http::precondition::{VERSION, take_tag};
use crate::values::DocumentFormat;
use crate::{Error, Response};

/// Returns a 200 with the item as a document and its version as the entity tag.
pub fn ok(format: DocumentFormat, mut item: Item) -> Result<Response<Document>, Error> {
    let tag = take_tag(&mut item);
    answer::tagged(answer::ok(&write(format, &item)?)?, &tag)
}

/// Returns a 201 with the item as a document, its version as the entity tag, and `location` as the path to it.
pub fn created(location: &str, format: DocumentFormat, mut item: Item) -> Result<Response<Document>, Error> {
    let tag = take_tag(&mut item);
    answer::tagged(answer::created_at(location, &write(format, &item)?)?, &tag)
}

/// Interprets the result of a conditional `PutItem` of `item`. Returns whether the item is put, and `false` if the
/// condition failed.
///
/// The request must set `ReturnValuesOnConditionCheckFailure` to `ALL_OLD`.
///
/// After a lost answer the SDK sends the request again, and its condition may fail on the item that the first one has
/// put. The version, which no other write has, tells this success from a real failure.
pub fn is_put(put: Result<PutItemOutput, SdkError<PutItemError>>, item: &Item) -> Result<bool, Error> {
    let Err(error) = put else { return Ok(true) };
    let Some(PutItemError::ConditionalCheckFailedException(failed)) = error.as_service_error() else {
        return Err(error.into());
    };
    Ok(failed.item.as_ref().is_some_and(|stored| stored.get(VERSION) == item.get(VERSION)))
}

/// Interprets the outcome of a transaction whose only write deletes an item on a precondition: the item is deleted, or
/// the precondition failed.
///
/// The request must set `ReturnValuesOnConditionCheckFailure` to `ALL_OLD`.
///
/// If there is no item, the delete has succeeded whatever the precondition says, because an earlier request may have
/// deleted the item and its answer may be lost. [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1)
/// allows this.
pub fn check_deleted(outcome: Outcome) -> Result<(), Error> {
    match outcome {
        Outcome::Committed => Ok(()),
        Outcome::ConditionFailed(mut failed) => match failed.take_item(0) {
            None => Ok(()),
            Some(_) => Err(Error::PreconditionFailed),
        },
    }
}
