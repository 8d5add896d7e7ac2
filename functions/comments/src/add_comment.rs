//! One `TransactWriteItems` puts the comment, with the current time in its key, increments the
//! caller's count of comments, on the condition that the caller has a profile of the caller's
//! account and fewer than [`MAX_COMMENTS`] comments, and increments the photo's count, on the
//! condition that the photo is ready. If the caller has another comment of the same millisecond on
//! the photo, the function tries again with a later time. A reply also increments the count of the
//! comment that it answers, on the condition that this is shown and has fewer than [`MAX_REPLIES`].
//!
//! The conditions also say that everyone may see the photo and nobody blocks the caller. If one of
//! them fails, another `TransactWriteItems` checks the friendship with the owner, or the blocks of the
//! owner and of the author of the answered comment ([`Access`]).
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

use crate::text::NewComment;
use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, Update};
use shared::access::Access;
use shared::dynamodb::transaction::{Contended, Outcome, Transaction, Write};
use shared::dynamodb::{Item, entity};
use shared::entities::account::{OF_ACCOUNT, refusal, subject_value};
use shared::entities::{
    COMMENTS_WRITTEN, Comment, IdempotencyScope, IdempotentRequest, Key, MAX_COMMENTS, MAX_REPLIES, REPLIES_COUNT,
    mark_uncounted,
};
use shared::http::answer;
use shared::http::extract::{Body, Path};
use shared::http::idempotency::Idempotency;
use shared::http::request::Caller;
use shared::show::ShownComment;
use shared::values::{CommentId, PhotoId, Timestamp, Username};
use shared::{Error, ErrorKind, Process, Response, Route, StartError, Success, Table};

#[cfg(test)]
mod tests;

/// The retry budget: the maximum number of attempts. Each attempt uses another time.
///
/// A comment loses a time only to another comment of the same user on the same photo in the same
/// millisecond. At 10 ms each, all attempts take half a second of the function's timeout of 10
/// seconds.
const MAX_ATTEMPTS: usize = 50;

/// The writes of a transaction that puts a comment, by which its failed conditions are known.
struct Writes {
    author: Write,
    /// The comment that a reply answers.
    answered: Option<Write>,
    /// The record of the idempotency key.
    record: Option<Write>,
    /// The photo, if the transaction increments its count.
    photo: Option<Write>,
    /// The checks of the access to the photo, and the photo.
    access: Vec<Write>,
    /// The check of the block of the author of the answered comment.
    answered_author: Vec<Write>,
}

/// The route.
pub struct AddComment {
    table: Table,
    favorites: String,
    hot_photos: Contended<Key>,
}

impl Route for AddComment {
    const NAME: &'static str = "add-comment";
    const ROUTE: &'static str = "POST /users/{username}/photos/{photo}/comments";
    const SUMMARY: &'static str = "Adds a comment of the caller to a photo, or a reply to a comment.";
    const SUCCESSES: &'static [Success] = &[Success::OK, Success::CREATED];
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NoComment,
        ErrorKind::NoPhoto,
        ErrorKind::NoProfile,
        ErrorKind::OtherAccount,
        ErrorKind::TooManyComments,
        ErrorKind::TooManyReplies,
    ];

    type Input = (Path<Username>, Path<PhotoId>, Caller, Body<NewComment>, Idempotency);
    type Body = ShownComment;

    fn start(process: &Process) -> Result<Self, StartError> {
        Ok(Self {
            table: process.table("TABLE_NAME")?,
            favorites: process.variable("FAVORITE_TABLE_NAME")?,
            hot_photos: Contended::default(),
        })
    }

    async fn answer(
        &self,
        (Path(username), Path(id), caller, Body(NewComment { text, reply_to }), idempotency): Self::Input,
    ) -> Result<Response<ShownComment>, Error> {
        let Self { table, favorites, hot_photos } = self;
        let scope = IdempotencyScope::Comments(username.clone(), id.clone());
        let idempotent = IdempotentRequest::of(idempotency, &caller.username, &scope);

        let access = Access::new(&table.name, &caller.username, &username, &id);
        let mut access = reply_to.as_ref().map_or(access, |answered| access.to_comment(answered));
        for _ in 0..MAX_ATTEMPTS {
            let (now, author) = (Timestamp::now(), caller.username.clone());
            let comment_id = match &reply_to {
                None => CommentId::new(now, author),
                Some(answered) => answered.clone().reply(now, author),
            };
            let comment = Comment::new(comment_id, text.to_string());
            let shown = ShownComment::from(comment.clone());
            let item = entity::to_item(Key::comment(&shown.id, &username, &id), &comment)?;
            let answered = reply_to.as_ref().map(|answered| Key::comment(answered, &username, &id));
            let record = idempotent.as_ref().map(|idempotent| idempotent.put_record(favorites, &shown)).transpose()?;
            let (outcome, writes) =
                write_comment(table, hot_photos, &caller, (item, answered, record), &mut access).await?;
            let Outcome::ConditionFailed(failed) = outcome else { return answer::created(&shown) };
            let is_author_refused = failed.contains(writes.author);
            let author = failed.item(writes.author);
            if is_author_refused && let Some(refusal) = refusal(author, &caller.username, &caller.subject) {
                return Err(refusal);
            }
            if let Some(idempotent) = &idempotent
                && let Some(record) = failed.item(writes.record)
            {
                return idempotent.repeated(record.clone());
            }
            if access.learn(author, failed.item(writes.photo)) {
                continue;
            }
            // First of all, so that nobody learns of a comment on a photo that they do not see.
            if failed.contains_any(writes.access) {
                return Err(Error::no_photo(&username, &id));
            }
            if let Some(answered) = &reply_to
                && failed.contains_any(writes.answered_author)
            {
                return Err(Error::no_comment(answered));
            }
            if let Some(answered) = &reply_to
                && failed.contains(writes.answered)
            {
                return Err(cannot_be_answered(answered, failed.item(writes.answered)));
            }
            if is_author_refused {
                return Err(too_many_comments());
            }
            // The caller has another comment of this millisecond.
        }
        Err(Error::Busy(format!("{MAX_ATTEMPTS} times in a row belong to other comments").into()))
    }
}

/// Sends the transaction with the photo's count, or the one without it if the photo takes too many
/// writes. The outcome and the writes are those of the transaction with the count, unless the other
/// one is committed.
///
/// If a condition of the other one fails, an attempt of the first one may have arrived late, and
/// its token tells. If the read finds no ready photo, it may be out of date.
async fn write_comment(
    table: &Table,
    hot_photos: &Contended<Key>,
    caller: &Caller,
    (comment, answered, record): (Item, Option<Key>, Option<Put>),
    access: &mut Access<'_>,
) -> Result<(Outcome, Writes), Error> {
    let photo = Some(increment_comments(access)?);
    let (counted, writes) = build(table, caller, (comment.clone(), answered.clone(), record.clone()), access, photo)?;
    if let Some(outcome) = hot_photos.write(&access.photo(), &table.client, &counted).await? {
        return Ok((outcome, writes));
    }
    if access.read_photo(table).await?
        && let (uncounted, writes) = build(table, caller, (mark_uncounted(comment), answered, record), access, None)?
        && let Outcome::Committed = uncounted.write(&table.client).await?
    {
        return Ok((Outcome::Committed, writes));
    }
    Ok((counted.write(&table.client).await?, writes))
}

/// Returns the transaction that puts a comment and increments the author's count and that of the
/// comment that it answers, with the record of the idempotency key, if there is one, the checks of the
/// access, and the update of the photo,
/// if it increments the photo's count.
fn build(
    table: &Table,
    caller: &Caller,
    (comment, answered, record): (Item, Option<Key>, Option<Put>),
    access: &Access<'_>,
    photo: Option<Update>,
) -> Result<(Transaction, Writes), Error> {
    let put_comment = Put::builder()
        .table_name(&table.name)
        .set_item(Some(comment))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let mut transaction = Transaction::new();
    transaction.put(put_comment);
    let author = transaction.update(increment_written(table, caller, access)?);
    let answered = answered.map(|key| increment_replies(table, key)).transpose()?;
    let answered = answered.map(|answered| transaction.update(answered));
    let record = record.map(|record| transaction.put(record));
    let (mut access, answered_author) = access.add_checks(&mut transaction)?;
    let photo = photo.map(|photo| transaction.update(photo));
    access.extend(photo);
    Ok((transaction, Writes { author, answered, record, photo, access, answered_author }))
}

fn increment_written(table: &Table, caller: &Caller, access: &Access<'_>) -> Result<Update, Error> {
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
    Ok(update)
}

fn increment_comments(access: &Access<'_>) -> Result<Update, Error> {
    let update = access.update_photo().update_expression("ADD comments :one");
    Ok(update.expression_attribute_values(":one", N("1".to_owned())).build()?)
}

/// Returns the update of a comment that a reply answers, on the condition that it is there and shown
/// and has room for the reply. A tombstone has no author.
fn increment_replies(table: &Table, key: Key) -> Result<Update, Error> {
    let update = Update::builder()
        .table_name(&table.name)
        .set_key(Some(key.into()))
        .condition_expression("attribute_exists(author) AND attribute_not_exists(removed) AND NOT #count >= :max")
        .update_expression("ADD #count :one")
        .expression_attribute_names("#count", REPLIES_COUNT)
        .expression_attribute_values(":max", N(MAX_REPLIES.to_string()))
        .expression_attribute_values(":one", N("1".to_owned()))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(update)
}

fn cannot_be_answered(id: &CommentId, found: Option<&Item>) -> Error {
    let is_shown = found.is_some_and(|item| item.contains_key("author") && !item.contains_key("removed"));
    if !is_shown {
        return Error::no_comment(id);
    }
    let detail = format!("This comment has the maximum of {MAX_REPLIES} replies.");
    Error::refused(ErrorKind::TooManyReplies, detail)
}

fn too_many_comments() -> Error {
    let detail = format!("You have reached the maximum of {MAX_COMMENTS} comments. Delete a comment first.");
    Error::refused(ErrorKind::TooManyComments, detail)
}
