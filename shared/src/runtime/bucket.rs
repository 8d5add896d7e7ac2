//! The bucket of the objects, and the deletion of objects with all their versions.

use aws_sdk_s3::Client;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};

use crate::Error;

/// The maximum number of versions that one request
/// [deletes](https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html).
pub(crate) const MAX_DELETED_VERSIONS: usize = 1000;

/// The bucket of the photos, with the client that sends requests to it.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The client.
    pub client: Client,
    /// The name of the bucket.
    pub name: String,
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
pub(crate) struct Versions {
    pub(crate) versions: Vec<ObjectIdentifier>,
    /// The markers after which the next page begins, if there is one.
    pub(crate) next: Option<(Option<String>, Option<String>)>,
}

/// Lists versions of the objects whose keys begin with `prefix`.
///
/// A bucket with versions keeps a deleted object behind a delete marker, so each version is deleted
/// by its id, and the markers too. A bucket without versions lists each object as [the version
/// `null`](https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html). S3 lists
/// what was written
/// [before](https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel)
/// the request. A request lists up to 1,000 versions.
pub(crate) async fn list_versions(
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
pub(crate) async fn delete(bucket: &Bucket, identifiers: Vec<ObjectIdentifier>) -> Result<(), Error> {
    let delete = Delete::builder().set_objects(Some(identifiers)).quiet(true).build()?;
    let output = bucket.client.delete_objects().bucket(&bucket.name).delete(delete).send().await?;
    match output.errors().first() {
        None => Ok(()),
        Some(error) => Err(Error::Busy(format!("S3 could not delete {:?}: {:?}", error.key(), error.code()).into())),
    }
}
