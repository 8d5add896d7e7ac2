//! Answers about catalogue items, which have a version that changes with every write.
//!
//! The functions that put, get and update a song or a person answer with a document and its entity tag. The functions
//! that put and delete one interpret the result of a write on a [`Precondition`] here. Each function builds its own
//! request.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::delete_item::{DeleteItemError, DeleteItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemError, PutItemOutput};

use super::answer;
use super::precondition::{Precondition, take_tag};
use crate::document::write;
use crate::dynamodb::Item;
use crate::model::catalogue::VERSION;
use crate::values::DocumentFormat;
use crate::{Error, Response};

/// Returns a 200 with the item as a document and its version as the entity tag.
pub fn ok(format: DocumentFormat, mut item: Item) -> Result<Response, Error> {
    let tag = take_tag(&mut item);
    answer::tagged(answer::ok(&write(format, &item)?)?, &tag)
}

/// Returns a 201 with the item as a document, its version as the entity tag, and `location` as the path to it.
pub fn created(location: &str, format: DocumentFormat, mut item: Item) -> Result<Response, Error> {
    let tag = take_tag(&mut item);
    answer::tagged(answer::created(location, &write(format, &item)?)?, &tag)
}

/// Interprets the result of a `PutItem` of `item` on a precondition. Returns whether the item is new.
///
/// The request must set `ReturnValues` and `ReturnValuesOnConditionCheckFailure` to `ALL_OLD`.
///
/// After a lost answer the SDK sends the request again, and its condition may fail on the item that the first one has
/// put. The version, which no other write has, tells this success from a real failure.
pub fn is_new(
    put: Result<PutItemOutput, SdkError<PutItemError>>,
    item: &Item,
    precondition: &Precondition,
) -> Result<bool, Error> {
    let error = match put {
        Ok(output) => return Ok(output.attributes.is_none()),
        Err(error) => error,
    };
    let Some(PutItemError::ConditionalCheckFailedException(failed)) = error.as_service_error() else {
        return Err(error.into());
    };
    let stored_version = failed.item.as_ref().and_then(|stored| stored.get(VERSION));
    if stored_version == item.get(VERSION) {
        Ok(*precondition == Precondition::NotExists)
    } else {
        Err(Error::PreconditionFailed)
    }
}

/// Interprets the result of a `DeleteItem` on a precondition: the item is deleted, or the precondition failed.
///
/// The request must set `ReturnValuesOnConditionCheckFailure` to `ALL_OLD`.
///
/// If there is no item, the delete has succeeded whatever the precondition says, because an earlier attempt may have
/// deleted the item and its answer may be lost. [RFC 9110](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1)
/// allows this.
pub fn check_deleted(deleted: Result<DeleteItemOutput, SdkError<DeleteItemError>>) -> Result<(), Error> {
    let Err(error) = deleted else { return Ok(()) };
    match error.as_service_error() {
        Some(DeleteItemError::ConditionalCheckFailedException(failed)) if failed.item.is_none() => Ok(()),
        Some(DeleteItemError::ConditionalCheckFailedException(_)) => Err(Error::PreconditionFailed),
        _ => Err(error.into()),
    }
}
