//! Stream of the table `quick-photos`: deletes the items that `delete-photo` and `delete-user`
//! leave behind.
//!
//! Each noun deletes its own items in its `erasure.rs`, which has the requests. This function calls
//! the nouns in their order:
//!
//! - After a `PhotoDeletion` replaces a photo, `photo.rs` finds the reactions and the comments with
//!   a `Query` of `InvertedIndex`, and deletes them, the link, the files and the photo.
//! - After a `Deletion` replaces a user, `user.rs` makes a pass over the items that refer to the
//!   user: entries in home feeds, photos, followers with what lies beside them, followed users,
//!   requests, blocks, reactions, likes, comments, favorites, what is left in the table of feeds, and links.
//!   A pass that runs out of time updates the `Deletion`, and the record of that update starts the
//!   next pass. After a complete pass, the name rests.
//! - After a tombstone replaces a comment that has replies or likes, these are deleted, and then the
//!   tombstone.
//! - After a user has removed one of several pictures of a photo, its files are deleted, and then the tombstone.
//! - After the timer of the rest has expired, an update of the `Deletion` starts a pass again, the
//!   last sweep.
//! - After a photo whose file was never uploaded has expired, its owner's count of photos is
//!   decremented, and its link is deleted.
//! - After the target of a link has expired, the link is deleted.
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

mod photo;
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
            let expired = photos::erasure::finish_expiry(table, &others.feed, bucket, record.old_image).await?;
            let Some(photo) = expired else { return Ok(()) };
            return links::erasure::delete_link_of_expired_photo(table, &photo).await;
        }
        if record.change == Change::Remove && kind == Some(Kind::Rest) {
            return users::erasure::end_rest(table, record.old_image).await;
        }
        if record.change == Change::Remove && kind == Some(Kind::LinkTarget) {
            return links::erasure::finish_expiry(table, record.old_image).await;
        }
        if !starts_clean_up(&record) {
            return Ok(());
        }
        if kind == Some(Kind::Comment) {
            return comments::erasure::finish(table, &record.new_image, record.deadline).await;
        }
        if kind == Some(Kind::PictureDeletion) {
            return photos::erasure::finish_picture(table, bucket, record.new_image).await;
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

/// Returns whether the record is of a new tombstone, or of one that the last
/// pass, the end of the rest or the audit has touched. Ignores records that only decrement a count
/// of a tombstone, of which there is one for each transaction, and the trace of a photo.
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
