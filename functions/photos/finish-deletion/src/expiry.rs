//! Finishes the expiry of a photo whose file was never uploaded.

use aws_sdk_dynamodb::types::{Put, TransactWriteItem};
use shared::dynamodb::counter::Decrement;
use shared::dynamodb::{Item, entity, transaction};
use shared::photos::{Key, Photo, PhotoDeletion, Picture, photo_from_item};
use shared::pictures::store::delete_objects;
use shared::{Bucket, Error, Table};

use crate::photo::unpin;

/// Finishes the expiry of the photo that `item` was. Nobody can have reacted to it or commented on
/// it, because it was never ready.
///
/// Only DynamoDB deletes a pending photo like this: the functions replace a photo with a
/// `PhotoDeletion`, which is not a photo any more when it is deleted.
pub(crate) async fn finish(table: &Table, bucket: &Bucket, item: Item) -> Result<(), Error> {
    let Some(photo) = photo_from_item(item)?.filter(|photo| photo.picture == Some(Picture::Pending)) else {
        return Ok(());
    };
    decrement_photos_once(table, &photo).await?;
    unpin(table, &photo.username, &photo.timestamp).await?;
    delete_objects(bucket, &photo.username, &photo.timestamp).await
}

/// Decrements the owner's count of photos, and puts the trace of this, on the condition that there
/// is none.
///
/// The stream can deliver the record of the expiry again. The owner is the user who uploaded the
/// photo, because the name of a deleted user rests for longer than a record.
async fn decrement_photos_once(table: &Table, photo: &Photo) -> Result<(), Error> {
    let trace = PhotoDeletion::trace(&photo.username, &photo.timestamp);
    let put_trace = Put::builder()
        .table_name(&table.name)
        .set_item(Some(entity::to_item(Key::photo(&photo.username, &photo.timestamp), &trace)?))
        .condition_expression("attribute_not_exists(PK)")
        .build()?;
    let decrement = Decrement::new(&table.name, Key::user(&photo.username), "photos").update(1)?;
    let transaction = table
        .client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put_trace).build())
        .transact_items(decrement);
    // If the first condition failed, an earlier attempt has decremented the count. If the second
    // one failed, the owner is deleted, and no count has the photo.
    transaction::write(transaction).await?;
    Ok(())
}
