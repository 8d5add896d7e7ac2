//! Finishes the expiry of a photo whose file was never uploaded.
//!
//! - A `TransactWriteItems` decrements the owner's count of uploads, and puts a `PhotoDeletion` as
//!   the trace of the photo. If another photo is at its key, a second transaction marks that
//!   photo instead of putting the trace.
//!   The first one also deletes the several pictures of the photo and their vectors, which a consistent `GetItem` has
//!   read before.
//! - `ListObjectVersions`, a consistent `GetItem` and `DeleteObjects` of S3 delete the files.

use aws_sdk_dynamodb::types::AttributeValue::N;
use aws_sdk_dynamodb::types::{Put, TransactWriteItem, Update};
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::transaction::{Outcome, Transaction};
use shared::dynamodb::{Item, entity};
use shared::entities::object::incoming_key;
use shared::entities::{Key, Photo, PhotoDeletion, Picture, delete_unused, photo_from_item};
use shared::{Bucket, Error, Table};

use super::delete_pictures;

/// Finishes the expiry of the photo that `item` was. Nobody can have reacted to it, commented on it
/// or pinned it, because it was never ready. Returns the photo, or `None` if it did not expire.
///
/// Only DynamoDB deletes a pending photo like this: the functions replace a photo with a
/// `PhotoDeletion`, which is not a photo any more when it is deleted.
pub async fn finish_expiry(table: &Table, feed: &Table, bucket: &Bucket, item: Item) -> Result<Option<Photo>, Error> {
    let Some(photo) = photo_from_item(item)?.filter(|photo| photo.picture == Some(Picture::Pending)) else {
        return Ok(None);
    };
    decrement_uploads_once(table, feed, &photo).await?;
    delete_unused(table, bucket, &photo.username, &photo.id, None, &incoming_key(&photo.username, &photo.id, None))
        .await?;
    Ok(Some(photo))
}

/// Decrements the owner's count of uploads, and puts the trace of the photo, with the `ttl` of the
/// photo as `expired`. If an import has put another photo at its key before the record came, that
/// one gets `expired`, also if it has been deleted since.
///
/// The stream can deliver the record of the expiry again, which then finds `expired`. The owner is
/// the user who uploaded the photo, because the name of a deleted user rests for longer than a
/// record.
async fn decrement_uploads_once(table: &Table, feed: &Table, photo: &Photo) -> Result<(), Error> {
    let key = Key::photo(&photo.username, &photo.id);
    let expired = N(photo.ttl.unwrap_or_default().to_string());
    let mut trace = entity::to_item(key.clone(), &PhotoDeletion::trace(&photo.username, &photo.id))?;
    trace.insert("expired".to_owned(), expired.clone());
    let put = Put::builder()
        .table_name(&table.name)
        .set_item(Some(trace))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let mark = Update::builder()
        .table_name(&table.name)
        .set_key(Some(key.into()))
        .condition_expression("attribute_exists(PK) AND (attribute_not_exists(expired) OR expired <> :expired)")
        .update_expression("SET expired = :expired")
        .expression_attribute_values(":expired", expired)
        .build()?;
    let decrement = Decrement::new(&table.name, Key::user(&photo.username), "uploads").update(1)?;
    // Beside another photo are its own pictures.
    let pictures = match photo.pictures {
        None => vec![],
        Some(_) => delete_pictures(table, feed, &photo.username, &photo.id).await?,
    };
    let put = (TransactWriteItem::builder().put(put).build(), pictures);
    for (first, deletes) in [put, (TransactWriteItem::builder().update(mark).build(), vec![])] {
        let mut transaction = Transaction::new();
        let first = transaction.add(first);
        transaction.update(decrement.clone());
        for delete in deletes {
            transaction.delete(delete);
        }
        match transaction.write(&table.client).await? {
            Outcome::ConditionFailed(failed) if failed.contains(first) => {}
            // If the second condition failed, the owner is deleted, and no count has the photo.
            Outcome::Committed | Outcome::ConditionFailed(_) => break,
        }
    }
    // If the first condition failed twice, an earlier attempt has decremented the count.
    Ok(())
}
