//! `POST /users/{username}/photos/{timestamp}/comments`: adds a comment of the caller to a photo.
//!
//! One `TransactWriteItems` puts the comment, with the current time in its key, increments the
//! caller's count of comments, on the condition that the caller has a profile of the caller's
//! account and fewer than [`MAX_COMMENTS`] comments, and increments the photo's count, on the
//! condition that the photo is ready. If the caller has another comment of the same millisecond on
//! the photo, the function tries again with a later time.
//!
//! The conditions also say that everyone may see the photo and nobody blocks the caller. If one of
//! them fails, another `TransactWriteItems` checks the friendship with the owner or the owner's
//! block ([`Access`]).
//!
//! If the photo takes more writes than one item can, the transaction conflicts or is throttled each
//! time. Then an eventually consistent `GetItem` reads the photo, and another `TransactWriteItems`
//! puts the comment without the photo's count, with the mark `uncounted`. `process-changes` adds it
//! to the count. For ten seconds after that, this process does so for each comment on the photo at
//! once.
//!
//! With the header `Idempotency-Key`, each transaction also puts a record of the key into the table
//! `<stage>.Favorite`, on the condition that there is none. If there is one, the answer is 200 with
//! the comment as the first request created it.

use std::collections::HashMap;

use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::transaction::{Contended, Outcome};
use shared::dynamodb::{Item, entity, transaction};
use shared::favorites::IdempotencyScope;
use shared::http::answer;
use shared::http::idempotency::IdempotentRequest;
use shared::http::request::{Caller, Fields, path};
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{Access, COMMENTS_WRITTEN, Comment, Key, MAX_COMMENTS, ShownComment, mark_uncounted};
use shared::values::{CommentText, Timestamp, Username};
use shared::{Error, Request, Response, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. Each attempt uses another time.
///
/// A comment loses a time only to another comment of the same user on the same photo in the same
/// millisecond. At 10 ms each, all attempts take half a second of the function's timeout of 10
/// seconds.
const MAX_ATTEMPTS: usize = 50;

/// The positions in the transaction with the photo's count of the update of the author and of the
/// put of the idempotency record, by which their failed conditions are known. The checks of the
/// access follow, and the photo is last.
const AUTHOR: usize = 1;
const IDEMPOTENCY_RECORD: usize = 2;

/// Runs the function for as long as Lambda sends events.
pub async fn main() -> Result<(), lambda_http::Error> {
    let favorites = std::env::var("FAVORITE_TABLE_NAME").map_err(|_| "FAVORITE_TABLE_NAME is not set")?;
    let hot_photos = Contended::default();
    shared::run(|table, request| add_comment(table, &favorites, &hot_photos, request)).await
}

async fn add_comment(
    table: Table,
    favorites: &str,
    hot_photos: &Contended<Key>,
    request: Request,
) -> Result<Response<ShownComment>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::from_request(&request)?;
    let text = parse_text(&request)?;
    let scope = IdempotencyScope::Comments(username.clone(), timestamp.clone());
    let idempotent = IdempotentRequest::from_request(&request, &caller.username, &scope)?;

    let mut access = Access::new(&table.name, &caller.username, &username, &timestamp);
    for _ in 0..MAX_ATTEMPTS {
        let comment = Comment {
            author: caller.username.clone(),
            timestamp: Timestamp::now(),
            text: text.to_string(),
            edited: None,
            removed: None,
        };
        let shown = ShownComment::from(comment.clone());
        let item = entity::to_item(Key::comment(&shown.id, &username, &timestamp), &comment)?;
        let record = idempotent.as_ref().map(|idempotent| idempotent.put_record(favorites, &shown)).transpose()?;
        let mut failed = match write_comment(&table, hot_photos, &caller, item, record, &mut access).await? {
            Outcome::Committed => return answer::created(&shown),
            Outcome::ConditionFailed(failed) => failed,
        };
        if let Some(idempotent) = &idempotent
            && let Some(record) = failed.take_item(IDEMPOTENCY_RECORD)
        {
            return idempotent.repeated(record);
        }
        let is_author_refused = failed.contains(AUTHOR);
        let author = failed.take_item(AUTHOR);
        if is_author_refused && let Some(refusal) = refusal(author.as_ref(), &caller.username, &caller.subject) {
            return Err(refusal);
        }
        if access.learn(author.as_ref(), failed.take_last()) {
            continue;
        }
        if failed.contains_any_from(IDEMPOTENCY_RECORD + usize::from(idempotent.is_some())) {
            return Err(Error::no_photo(&username, &timestamp));
        }
        if is_author_refused {
            return Err(too_many_comments());
        }
        // The caller has another comment of this millisecond.
    }
    Err(Error::Busy(format!("{MAX_ATTEMPTS} times in a row belong to other comments").into()))
}

/// Sends the transaction with the photo's count, or the one without it if the photo takes too many
/// writes. The outcome is that of the transaction with the count unless the other one is committed.
///
/// If a condition of the other one fails, an attempt of the first one may have arrived late, and
/// its token tells. If the read finds no ready photo, it may be out of date.
async fn write_comment(
    table: &Table,
    hot_photos: &Contended<Key>,
    caller: &Caller,
    comment: Item,
    record: Option<Put>,
    access: &mut Access<'_>,
) -> Result<Outcome, Error> {
    let counted = build(table, caller, comment.clone(), record.clone(), access)?;
    let counted = counted.transact_items(increment_comments(access)?);
    if let Some(outcome) = hot_photos.write(&access.photo(), counted.clone()).await? {
        return Ok(outcome);
    }
    if access.read_photo(table).await?
        && let uncounted = build(table, caller, mark_uncounted(comment), record, access)?
        && let Outcome::Committed = transaction::write(uncounted).await?
    {
        return Ok(Outcome::Committed);
    }
    transaction::write(counted).await
}

/// Returns the transaction that puts a comment and increments the author's count, with the record
/// of the idempotency key, if there is one, and the checks of the access.
fn build(
    table: &Table,
    caller: &Caller,
    comment: Item,
    record: Option<Put>,
    access: &Access<'_>,
) -> Result<TransactWriteItemsFluentBuilder, Error> {
    let put_comment = Put::builder()
        .table_name(&table.name)
        .set_item(Some(comment))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let record = record.map(|put| TransactWriteItem::builder().put(put).build());
    let first = [TransactWriteItem::builder().put(put_comment).build(), increment_written(table, caller, access)?];
    let items = first.into_iter().chain(record).chain(access.checks()?).collect();
    let transaction = table.client.transact_write_items().set_transact_items(Some(items));
    Ok(transaction.client_request_token(transaction::new_token()))
}

fn increment_written(table: &Table, caller: &Caller, access: &Access<'_>) -> Result<TransactWriteItem, Error> {
    let condition = format!("{OF_ACCOUNT} AND (attribute_not_exists(#count) OR #count < :max)");
    let mut values = HashMap::from([
        (":subject".to_owned(), subject_value(&caller.subject)),
        (":max".to_owned(), N(MAX_COMMENTS.to_string())),
        (":one".to_owned(), N("1".to_owned())),
    ]);
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression(access.caller_condition(&condition, &mut values))
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", COMMENTS_WRITTEN)
        .set_expression_attribute_values(Some(values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

fn increment_comments(access: &Access<'_>) -> Result<TransactWriteItem, Error> {
    let update = access.update_photo().update_expression("ADD comments :one");
    let update = update.expression_attribute_values(":one", N("1".to_owned())).build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

fn too_many_comments() -> Error {
    Error::Conflict(format!("You have reached the maximum of {MAX_COMMENTS} comments. Delete a comment first."))
}

fn parse_text(request: &Request) -> Result<CommentText, Error> {
    let mut fields = Fields::from_request(request)?;
    let text = fields.required::<CommentText>("text");
    fields.finish()?;
    text
}
