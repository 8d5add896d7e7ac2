//! Stream of the table `quick-photos`: deletes the items that `delete-photo` and `delete-user`
//! leave behind.
//!
//! - After a `PhotoDeletion` replaces a photo, `photo.rs` reads it and the owner with a consistent
//!   `BatchGetItem`, and removes the photo from the owner's `pinnedImage` with a
//!   `TransactWriteItems`. It finds the reactions and the comments with a `Query` of
//!   `InvertedIndex`, and deletes them with `TransactWriteItems`, which also take the reactions out
//!   of their engagements and decrement the counts of the `PhotoDeletion` and of the comments'
//!   authors. `ListObjectVersions`, a consistent `GetItem` and `DeleteObjects` of S3 delete the
//!   files of the photo. The last step is a `TransactWriteItems` that gives the `PhotoDeletion` a
//!   `ttl`, deletes the vector and decrements the owner's count of photos. It remains as the trace
//!   of the photo, so that no import puts another photo at its key while anything of this one is
//!   late.
//! - After a `Deletion` replaces a user, `user.rs` makes a pass over the user's photos,
//!   friendships, requests to follow and blocks in both directions, reactions, comments, favorites,
//!   tags and feeds. A pass begins with the same `GetItem`. It finds each kind of item with a
//!   `Query`, the comments by one of `CommentsByAuthor`. It replaces a photo with a `PhotoDeletion`
//!   by `UpdateItem` and deletes its reactions and comments as above, and deletes any other item
//!   with `DeleteItem`, or with `TransactWriteItems` if another item counts it. A pass that runs
//!   out of time updates the `Deletion` instead, and the record of that update starts the next
//!   pass.
//! - `rest.rs` is the end of a complete pass. A `TransactWriteItems` puts a timer, if the
//!   `Deletion` counts nothing any more. When the name has rested and DynamoDB has deleted the
//!   timer, an `UpdateItem` marks the `Deletion`, whose record starts a pass again, the last sweep.
//!   After that one, an `UpdateItem` lets the `Deletion` expire, which frees the username.
//! - After a photo whose file was never uploaded has expired, `expiry.rs` decrements the owner's
//!   count of photos in one `TransactWriteItems`, which also puts a `PhotoDeletion` as the trace of
//!   this, and deletes the files as above.
//!
//! **No index has to be fresh.** The Queries of the table are consistent. Reactions to a photo and
//! comments on it, the users whom a user follows and the comments of a user are found by an index
//! only, which follows the table with a delay of any length. But the `PhotoDeletion` and the
//! `Deletion` keep the counts of these items, and their last delete has the condition that nothing
//! is left. If it fails, the record fails, and Lambda sends it again.
//!
//! An invocation may be interrupted anywhere: every step can be repeated, and every attempt queries
//! what is left. No record waits for another one, because the other one may come later.

use shared::dynamodb::entity;
use shared::entities::{Deletion, Kind};
use shared::runtime::stream::{Change, Record};
use shared::{Bucket, Error, Handler, Process, StartError, Table};

mod comments;
mod expiry;
mod favorites;
mod feeds;
mod friendships;
mod items;
mod photo;
mod reactions;
mod reports;
mod rest;
#[cfg(test)]
mod tests;
mod user;

/// The function.
pub struct FinishDeletion {
    table: Table,
    others: user::OtherTables,
    bucket: Bucket,
}

impl Handler for FinishDeletion {
    const NAME: &'static str = "finish-deletion";

    type Event = Record;

    fn start(process: &Process) -> Result<Self, StartError> {
        let others = user::OtherTables {
            favorites: process.table("FAVORITE_TABLE_NAME")?,
            feed: process.table("FEED_TABLE_NAME")?,
        };
        Ok(Self { table: process.table("TABLE_NAME")?, others, bucket: process.bucket()? })
    }

    async fn handle(&self, record: Record) -> Result<(), Error> {
        let Self { table, others, bucket } = self;
        let kind = Kind::of(&record.keys);
        if record.change == Change::Remove && kind == Some(Kind::Photo) {
            return expiry::finish(table, bucket, record.old_image).await;
        }
        if record.change == Change::Remove && kind == Some(Kind::Rest) {
            return rest::end(table, record.old_image).await;
        }
        if !starts_clean_up(&record) {
            return Ok(());
        }
        if kind == Some(Kind::Photo) {
            let deletion = entity::from_item(record.new_image)?;
            // Boxed, because it is too large for the future of each record.
            Box::pin(photo::finish(table, &others.feed, bucket, &deletion, record.deadline)).await
        } else {
            let Deletion { erasing, since, .. } = entity::from_item(record.new_image)?;
            user::run_pass(table, others, bucket, &erasing, &since, record.deadline).await
        }
    }
}

/// Returns whether the record is of a new `Deletion` or `PhotoDeletion`, or of one that the last
/// pass, the end of the rest or the audit has touched. A record of one whose count is decremented
/// is of no interest, and there is one for each transaction. Neither is the trace of a photo.
fn starts_clean_up(record: &Record) -> bool {
    let is_new = match record.change {
        Change::Insert => !Kind::Photo.is_of(&record.keys),
        Change::Modify => !record.old_image.contains_key("erasing"),
        Change::Remove => false,
    };
    let is_touched =
        record.change == Change::Modify && record.old_image.get("passes") != record.new_image.get("passes");
    record.new_image.contains_key("erasing") && (is_new || is_touched)
}
