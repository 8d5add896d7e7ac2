//! The bucket of the photos, and the deletion of objects with all their versions.

use aws_sdk_s3::Client;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};

use crate::dynamodb::unless_condition_failed;
use crate::photos::{Picture, get_photo, settle_picture, unless_claimed};
use crate::pictures::keys::{incoming_key, picture_prefix, pictures_prefix};
use crate::values::{PictureId, Timestamp, Username};
use crate::{Error, Table};

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
    discard_unused(table, bucket, owner, timestamp, key).await
}

/// Deletes the uploaded file `key` of a photo, and all pictures but the one that the photo shows.
/// Deletes nothing while the picture is pending.
///
/// A consistent `GetItem` reads the photo, because a stale read could miss a pending one. No photo
/// shows the deleted objects later, because a picture that is not pending does not change any more.
pub async fn discard_unused(
    table: &Table,
    bucket: &Bucket,
    owner: &Username,
    timestamp: &Timestamp,
    key: &str,
) -> Result<(), Error> {
    let shown = match get_photo(table, owner, timestamp).await?.and_then(|photo| photo.picture) {
        Some(Picture::Pending) => return Ok(()),
        picture => picture.and_then(|picture| picture.sizes().map(|sizes| sizes.id.clone())),
    };
    delete_pictures(bucket, owner, timestamp, shown.as_ref()).await?;
    delete_file(bucket, key).await
}

/// Deletes the uploaded file of a photo, and all its pictures. process-photo deletes the file of an
/// imported photo, when it gets the message about it.
pub async fn delete_objects(bucket: &Bucket, owner: &Username, timestamp: &Timestamp) -> Result<(), Error> {
    delete_pictures(bucket, owner, timestamp, None).await?;
    delete_file(bucket, &incoming_key(owner, timestamp)).await
}

/// Deletes all pictures of a photo but the one with the id `kept`.
async fn delete_pictures(
    bucket: &Bucket,
    owner: &Username,
    timestamp: &Timestamp,
    kept: Option<&PictureId>,
) -> Result<(), Error> {
    let kept = kept.map(|id| picture_prefix(owner, timestamp, id));
    let is_kept = |key: &str| kept.as_ref().is_some_and(|kept| key.starts_with(kept));
    delete_versions(bucket, &pictures_prefix(owner, timestamp), is_kept).await
}

/// Deletes an uploaded file. The timestamp of one photo can be the beginning of that of another one.
async fn delete_file(bucket: &Bucket, key: &str) -> Result<(), Error> {
    delete_versions(bucket, key, |other| other != key).await
}

/// Deletes the objects whose keys begin with `prefix` and for which `is_kept` returns false, with
/// all their versions.
///
/// A bucket with versions keeps a deleted object behind a delete marker, so each version is deleted
/// by its id, and the markers too. A bucket without versions lists each object as [the version
/// `null`](https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html). S3 lists
/// what was written
/// [before](https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel)
/// the request. A request lists and deletes up to 1,000 versions.
pub async fn delete_versions(bucket: &Bucket, prefix: &str, is_kept: impl Fn(&str) -> bool) -> Result<(), Error> {
    let mut next: Option<(Option<String>, Option<String>)> = None;
    loop {
        let (key_marker, version_id_marker) = next.take().unwrap_or_default();
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
        let identifiers = versions
            .chain(markers)
            .filter_map(|(key, version)| Some((key.filter(|key| !is_kept(key))?, version)))
            .map(|(key, version)| {
                ObjectIdentifier::builder().key(key).set_version_id(version.map(ToOwned::to_owned)).build()
            })
            .collect::<Result<Vec<_>, _>>()?;
        if !identifiers.is_empty() {
            delete(bucket, identifiers).await?;
        }
        if page.is_truncated() != Some(true) {
            return Ok(());
        }
        next = Some((page.next_key_marker, page.next_version_id_marker));
    }
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
