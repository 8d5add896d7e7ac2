//! `POST /users/{username}/photos/{timestamp}/comments`: adds a comment of the caller to a photo.
//!
//! One `TransactWriteItems` puts the comment, with the current time in its key, increments the
//! caller's count of comments, on the condition that the caller has a profile of the caller's
//! account and fewer than [`MAX_COMMENTS`] comments, and increments the photo's count, on the
//! condition that the photo is ready. If the caller has another comment of the same millisecond on
//! the photo, the function tries again with a later time.
//!
//! If the photo takes more writes than one item can, the transaction conflicts or is throttled each
//! time. Then an eventually consistent `GetItem` reads the photo, and another `TransactWriteItems`
//! puts the comment without the photo's count, with the mark `uncounted`. `process-changes` adds it
//! to the count.
//!
//! With the header `Idempotency-Key`, each transaction also puts a record of the key into the table
//! `<stage>.Favorite`, on the condition that there is none. If there is one, the answer is 200 with
//! the comment as the first request created it.

use aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use shared::dynamodb::transaction::Outcome;
use shared::dynamodb::{Item, entity, transaction};
use shared::favorites::IdempotencyScope;
use shared::http::answer;
use shared::http::idempotency::IdempotentRequest;
use shared::http::request::{Caller, Fields, path};
use shared::photos::account::{OF_ACCOUNT, refusal, subject_value};
use shared::photos::{
    COMMENTS_WRITTEN, Comment, Key, MAX_COMMENTS, ShownComment, is_ready, mark_uncounted, update_ready_photo,
};
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

/// The positions in the transaction with the photo's count of the update of the author, of that of
/// the photo, and of the put of the idempotency record, by which their failed conditions are known.
const AUTHOR: usize = 1;
const PHOTO: usize = 2;
const IDEMPOTENCY_RECORD: usize = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    let favorites = std::env::var("FAVORITE_TABLE_NAME").map_err(|_| "FAVORITE_TABLE_NAME is not set")?;
    shared::run(|table, request| add_comment(table, &favorites, request)).await
}

async fn add_comment(table: Table, favorites: &str, request: Request) -> Result<Response<ShownComment>, Error> {
    let username: Username = path(&request, "username")?;
    let timestamp: Timestamp = path(&request, "timestamp")?;
    let caller = Caller::from_request(&request)?;
    let text = parse_text(&request)?;
    let scope = IdempotencyScope::Comments(username.clone(), timestamp.clone());
    let idempotent = IdempotentRequest::from_request(&request, &caller.username, &scope)?;

    for _ in 0..MAX_ATTEMPTS {
        let comment = Comment {
            author: caller.username.clone(),
            timestamp: Timestamp::now(),
            text: text.to_string(),
            edited: None,
        };
        let shown = ShownComment::from(comment.clone());
        let item = entity::to_item(Key::comment(&shown.id, &username, &timestamp), &comment)?;
        let record = idempotent.as_ref().map(|idempotent| idempotent.put_record(favorites, &shown)).transpose()?;
        let uncounted = build(&table, mark_uncounted(item.clone()), &caller, None, record.clone())?;
        let count = increment_comments(&table, &username, &timestamp)?;
        let counted = build(&table, item, &caller, Some(count), record)?;

        match write_comment(&table, &username, &timestamp, counted, uncounted).await? {
            Outcome::Committed => return answer::created(&shown),
            Outcome::ConditionFailed(mut failed) => {
                if let (Some(idempotent), Some(record)) = (&idempotent, failed.take_item(IDEMPOTENCY_RECORD)) {
                    return idempotent.repeated(record);
                }
                if failed.contains(AUTHOR) {
                    let author = failed.take_item(AUTHOR);
                    let refusal = refusal(author.as_ref(), &caller.username, &caller.subject);
                    return Err(refusal.unwrap_or_else(too_many_comments));
                }
                if failed.contains(PHOTO) {
                    return Err(Error::no_photo(&username, &timestamp));
                }
                // The caller has another comment of this millisecond.
            }
        }
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
    username: &Username,
    timestamp: &Timestamp,
    counted: TransactWriteItemsFluentBuilder,
    uncounted: TransactWriteItemsFluentBuilder,
) -> Result<Outcome, Error> {
    if let Some(outcome) = transaction::write_unless_contended(counted.clone()).await? {
        return Ok(outcome);
    }
    if is_ready(table, username, timestamp).await?
        && let Outcome::Committed = transaction::write(uncounted).await?
    {
        return Ok(Outcome::Committed);
    }
    transaction::write(counted).await
}

/// Returns the transaction that puts a comment and increments the author's count, with the
/// increment of the photo's `count` and the record of the idempotency key, if there are any.
fn build(
    table: &Table,
    comment: Item,
    caller: &Caller,
    count: Option<TransactWriteItem>,
    record: Option<Put>,
) -> Result<TransactWriteItemsFluentBuilder, Error> {
    let put_comment = Put::builder()
        .table_name(&table.name)
        .set_item(Some(comment))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let record = record.map(|put| TransactWriteItem::builder().put(put).build());
    let first = [TransactWriteItem::builder().put(put_comment).build(), increment_written(table, caller)?];
    let items = first.into_iter().chain(count).chain(record).collect();
    let transaction = table.client.transact_write_items().set_transact_items(Some(items));
    Ok(transaction.client_request_token(transaction::new_token()))
}

fn increment_written(table: &Table, caller: &Caller) -> Result<TransactWriteItem, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(Key::user(&caller.username).into()))
        .condition_expression(format!("{OF_ACCOUNT} AND (attribute_not_exists(#count) OR #count < :max)"))
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", COMMENTS_WRITTEN)
        .expression_attribute_values(":subject", subject_value(&caller.subject))
        .expression_attribute_values(":max", N(MAX_COMMENTS.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(TransactWriteItem::builder().update(update).build())
}

fn increment_comments(table: &Table, username: &Username, timestamp: &Timestamp) -> Result<TransactWriteItem, Error> {
    let update = update_ready_photo(&table.name, username, timestamp)
        .update_expression("ADD comments :one")
        .expression_attribute_values(":one", N("1".to_owned()))
        .build()?;
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
