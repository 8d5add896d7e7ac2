//! The deletion of the objects that a photo does not show.

use super::object::{picture_prefix, pictures_prefix};
use super::photo::get_photo;
use super::picture::{Picture, reject_picture};
use crate::http::problems::PictureProblem;
use crate::runtime::bucket::{Bucket, MAX_DELETED_VERSIONS, delete, list_versions};
use crate::values::{PhotoId, Username};
use crate::{Error, Table};

/// Rejects a photo whose uploaded file no attempt could process, and deletes the file and what
/// process-photo has stored without showing it. A `TransactWriteItems` has the condition that the
/// picture is still pending, and that process-photo is not processing another upload of it. If it
/// fails, the picture has been settled or will be, or the photo has expired or been deleted.
pub async fn reject_unprocessed(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    photo: &PhotoId,
    (key, sequencer): (&str, &str),
) -> Result<(), Error> {
    let rejected = Picture::Rejected { problem: PictureProblem::PictureDamaged, reason: None };
    reject_picture(table, owner, photo, &rejected, Some(sequencer))?.write(&table.client).await?;
    delete_unused(table, bucket, owner, photo, key).await
}

/// Deletes what [`delete_unused`] deletes. Reads the photo before too, so that an upload that comes
/// while another one is processed lists no objects.
pub async fn discard_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    photo: &PhotoId,
    key: &str,
) -> Result<(), Error> {
    let found = get_photo(table, owner, photo).await?;
    if found.is_some_and(|found| found.picture == Some(Picture::Pending)) {
        return Ok(());
    }
    delete_unused(table, bucket, owner, photo, key).await
}

/// Deletes the uploaded file `key` of a photo, and all pictures but the one that the photo shows.
/// Deletes nothing while the picture is pending. process-photo deletes the file of an imported
/// photo, when it gets the message about it.
///
/// A consistent `GetItem` reads the photo after the objects are listed. No photo shows them later,
/// because a picture that is not pending does not change any more, and what belongs to a later
/// photo of the same key was not listed. So in a bucket with versions, a call that stalls deletes
/// nothing of a later photo. In another bucket, the [trace](crate::entities::PhotoDeletion) of the
/// deleted photo keeps a later one away for longer than any call can take.
pub async fn delete_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    photo: &PhotoId,
    key: &str,
) -> Result<(), Error> {
    let mut listed = vec![];
    for prefix in [pictures_prefix(owner, photo), key.to_owned()] {
        let mut next = None;
        loop {
            let page = list_versions(bucket, &prefix, next).await?;
            // The id of one photo can be the beginning of the id of another photo.
            listed.extend(page.versions.into_iter().filter(|object| prefix != key || object.key == key));
            next = page.next;
            if next.is_none() {
                break;
            }
        }
    }
    if listed.is_empty() {
        return Ok(());
    }
    let shown = match get_photo(table, owner, photo).await?.and_then(|photo| photo.picture) {
        Some(Picture::Pending) => return Ok(()),
        picture => picture
            .and_then(|picture| picture.sizes().map(|sizes| picture_prefix(owner, photo, sizes.number, &sizes.id))),
    };
    listed.retain(|object| !shown.as_ref().is_some_and(|shown| object.key.starts_with(shown)));
    for objects in listed.chunks(MAX_DELETED_VERSIONS) {
        delete(bucket, objects.to_vec()).await?;
    }
    Ok(())
}
