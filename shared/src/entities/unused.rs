//! The deletion of the objects that a photo does not show.

use super::object::{numbered_prefix, picture_prefix, pictures_prefix};
use super::photo::get_photo;
use super::picture::{Picture, reject_picture};
use super::pictures::get_pictures;
use crate::http::problems::PictureProblem;
use crate::runtime::bucket::{Bucket, MAX_DELETED_VERSIONS, delete, list_versions};
use crate::values::{PhotoId, PictureNumber, Username};
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
    delete_unused(table, bucket, owner, photo, None, key).await
}

/// Deletes what [`delete_unused`] deletes. Reads the photo before too, so that an upload that comes
/// while another one is processed lists no objects.
pub async fn discard_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    photo: &PhotoId,
    number: Option<PictureNumber>,
    key: &str,
) -> Result<(), Error> {
    match read_needed(table, owner, photo, number).await? {
        Needed::All => Ok(()),
        Needed::Shown(_) | Needed::AllPictures => delete_unused(table, bucket, owner, photo, number, key).await,
    }
}

/// Deletes the uploaded file `key` of a photo, and all pictures but the one that the photo shows. With a number,
/// deletes the same of that picture of [several](super::Pictures) alone. After such a photo has been
/// deleted, deletes the files and the pictures of all numbers without one.
/// Deletes nothing while the picture is pending. process-photo deletes the file of an imported
/// photo, when it gets the message about it.
///
/// Consistent reads follow after the objects are listed. No photo shows them later,
/// because a picture that is not pending does not change any more, and what belongs to a later
/// photo of the same key was not listed. So in a bucket with versions, a call that stalls deletes
/// nothing of a later photo. In another bucket, the [trace](crate::entities::PhotoDeletion) of the
/// deleted photo keeps a later one away for longer than any call can take.
pub async fn delete_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    photo: &PhotoId,
    number: Option<PictureNumber>,
    key: &str,
) -> Result<(), Error> {
    let pictures = match number {
        None => pictures_prefix(owner, photo),
        Some(number) => numbered_prefix(owner, photo, number),
    };
    let files = format!("{key}/");
    let mut listed = vec![];
    for prefix in [pictures.as_str(), key] {
        let mut next = None;
        loop {
            let page = list_versions(bucket, prefix, next).await?;
            // The id of one photo can be the beginning of the id of another photo, and a number of another number.
            let is_its_own = |found: &str| prefix != key || found == key || found.starts_with(&files);
            listed.extend(page.versions.into_iter().filter(|object| is_its_own(&object.key)));
            next = page.next;
            if next.is_none() {
                break;
            }
        }
    }
    if listed.is_empty() {
        return Ok(());
    }
    match read_needed(table, owner, photo, number).await? {
        Needed::All => return Ok(()),
        Needed::Shown(shown) => listed.retain(|object| !shown.as_ref().is_some_and(|it| object.key.starts_with(it))),
        Needed::AllPictures => listed.retain(|object| object.key == key),
    }
    for objects in listed.chunks(MAX_DELETED_VERSIONS) {
        delete(bucket, objects.to_vec()).await?;
    }
    Ok(())
}

/// The objects that a photo, or one of its several pictures, needs.
enum Needed {
    /// All objects, because the picture is pending.
    All,
    /// The objects with this prefix, if there is one.
    Shown(Option<String>),
    /// The objects of all numbers, and no file without a number.
    AllPictures,
}

/// Reads what is needed, by a consistent `GetItem`, and with a number by another one of the
/// [`Pictures`](super::Pictures).
async fn read_needed(
    table: &Table,
    owner: &Username,
    photo: &PhotoId,
    number: Option<PictureNumber>,
) -> Result<Needed, Error> {
    let Some(found) = get_photo(table, owner, photo).await? else { return Ok(Needed::Shown(None)) };
    let picture = match number {
        None if found.pictures.is_some() => return Ok(Needed::AllPictures),
        None => found.picture,
        Some(number) => {
            let picture =
                get_pictures(table, owner, photo).await?.and_then(|all| Some(all.get(number)?.picture.clone()));
            // The photo may have been rejected while the picture was pending.
            picture.filter(|picture| *picture != Picture::Pending || found.picture == Some(Picture::Pending))
        }
    };
    if picture == Some(Picture::Pending) {
        return Ok(Needed::All);
    }
    let sizes = picture.as_ref().and_then(Picture::sizes);
    Ok(Needed::Shown(sizes.map(|sizes| picture_prefix(owner, photo, sizes.number, &sizes.id))))
}
