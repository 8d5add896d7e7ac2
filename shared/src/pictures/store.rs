//! The bucket of the photos, and the deletion of objects with all their versions.

use aws_sdk_s3::Client;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};

use crate::dynamodb::unless_condition_failed;
use crate::photos::{Picture, get_photo, settle_picture, unless_claimed};
use crate::pictures::keys::{picture_prefix, pictures_prefix};
use crate::values::{Timestamp, Username};
use crate::{Error, Table};

/// The maximum number of versions that one request
/// [deletes](https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html).
const MAX_DELETED_VERSIONS: usize = 1000;

/// The bucket of the photos, with the client that sends requests to it.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The client.
    pub client: Client,
    /// The name of the bucket.
    pub name: String,
}

/// The reason that the owner of a photo reads of a file that no attempt could process.
pub const UNPROCESSED: &str = "The picture could not be processed: three attempts failed. Save it again as a JPEG file, and upload \
                           it as a new photo.";

/// Rejects a photo whose uploaded file no attempt could process, and deletes the file and what
/// process-photo has stored without showing it. An `UpdateItem` has the condition that the picture
/// is still pending, and that process-photo is not processing another upload of it. If it fails, the
/// picture has been settled or will be, or the photo has expired or been deleted.
pub async fn reject_unprocessed(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    timestamp: &Timestamp,
    (key, sequencer): (&str, &str),
) -> Result<(), Error> {
    let rejected = Picture::Rejected { reason: UNPROCESSED.to_owned() };
    let settled = unless_claimed(settle_picture(table, owner, timestamp, &rejected)?, sequencer).send().await;
    unless_condition_failed(settled)?;
    delete_unused(table, bucket, owner, timestamp, key).await
}

/// Deletes what [`delete_unused`] deletes. Reads the photo before too, so that an upload that comes
/// while another one is processed lists no objects.
pub async fn discard_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    timestamp: &Timestamp,
    key: &str,
) -> Result<(), Error> {
    let photo = get_photo(table, owner, timestamp).await?;
    if photo.is_some_and(|photo| photo.picture == Some(Picture::Pending)) {
        return Ok(());
    }
    delete_unused(table, bucket, owner, timestamp, key).await
}

/// Deletes the uploaded file `key` of a photo, and all pictures but the one that the photo shows.
/// Deletes nothing while the picture is pending. process-photo deletes the file of an imported
/// photo, when it gets the message about it.
///
/// A consistent `GetItem` reads the photo after the objects are listed. No photo shows them later,
/// because a picture that is not pending does not change any more, and what belongs to a later
/// photo of the same key was not listed. So in a bucket with versions, a call that stalls deletes
/// nothing of a later photo. In another bucket, the [trace](crate::photos::PhotoDeletion) of the
/// deleted photo keeps a later one away for longer than any call can take.
pub async fn delete_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    timestamp: &Timestamp,
    key: &str,
) -> Result<(), Error> {
    let mut listed = vec![];
    for prefix in [pictures_prefix(owner, timestamp), key.to_owned()] {
        let mut next = None;
        loop {
            let page = list_versions(bucket, &prefix, next).await?;
            // The timestamp of one photo can be the beginning of that of another one.
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
    let shown = match get_photo(table, owner, timestamp).await?.and_then(|photo| photo.picture) {
        Some(Picture::Pending) => return Ok(()),
        picture => picture.and_then(|picture| picture.sizes().map(|sizes| picture_prefix(owner, timestamp, &sizes.id))),
    };
    listed.retain(|object| !shown.as_ref().is_some_and(|shown| object.key.starts_with(shown)));
    for objects in listed.chunks(MAX_DELETED_VERSIONS) {
        delete(bucket, objects.to_vec()).await?;
    }
    Ok(())
}

/// Deletes the objects whose keys begin with `prefix` and for which `is_kept` returns false, with
/// all their versions.
pub async fn delete_versions(bucket: &Bucket, prefix: &str, is_kept: impl Fn(&str) -> bool) -> Result<(), Error> {
    let mut next = None;
    loop {
        let mut page = list_versions(bucket, prefix, next).await?;
        page.versions.retain(|object| !is_kept(&object.key));
        if !page.versions.is_empty() {
            delete(bucket, page.versions).await?;
        }
        next = page.next;
        if next.is_none() {
            return Ok(());
        }
    }
}

/// A page of a list of versions.
struct Versions {
    versions: Vec<ObjectIdentifier>,
    /// The markers after which the next page begins, if there is one.
    next: Option<(Option<String>, Option<String>)>,
}

/// Lists versions of the objects whose keys begin with `prefix`.
///
/// A bucket with versions keeps a deleted object behind a delete marker, so each version is deleted
/// by its id, and the markers too. A bucket without versions lists each object as [the version
/// `null`](https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html). S3 lists
/// what was written
/// [before](https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel)
/// the request. A request lists up to 1,000 versions.
async fn list_versions(
    bucket: &Bucket,
    prefix: &str,
    after: Option<(Option<String>, Option<String>)>,
) -> Result<Versions, Error> {
    let (key_marker, version_id_marker) = after.unwrap_or_default();
    let page = bucket
        .client
        .list_object_versions()
        .bucket(&bucket.name)
        .prefix(prefix)
        .set_key_marker(key_marker)
        .set_version_id_marker(version_id_marker)
        .send()
        .await?;
    let versions = page.versions().iter().map(|version| (version.key(), version.version_id()));
    let markers = page.delete_markers().iter().map(|marker| (marker.key(), marker.version_id()));
    let versions = versions
        .chain(markers)
        .filter_map(|(key, version)| Some((key?, version)))
        .map(|(key, version)| {
            ObjectIdentifier::builder().key(key).set_version_id(version.map(ToOwned::to_owned)).build()
        })
        .collect::<Result<_, _>>()?;
    let is_truncated = page.is_truncated() == Some(true);
    Ok(Versions { versions, next: is_truncated.then_some((page.next_key_marker, page.next_version_id_marker)) })
}

/// Deletes versions of objects with one request. Fails with [`Error::Busy`] if S3 could not delete
/// one of them.
async fn delete(bucket: &Bucket, identifiers: Vec<ObjectIdentifier>) -> Result<(), Error> {
    let delete = Delete::builder().set_objects(Some(identifiers)).quiet(true).build()?;
    let output = bucket.client.delete_objects().bucket(&bucket.name).delete(delete).send().await?;
    match output.errors().first() {
        None => Ok(()),
        Some(error) => Err(Error::Busy(format!("S3 could not delete {:?}: {:?}", error.key(), error.code()).into())),
    }
}
