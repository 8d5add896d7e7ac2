//! The objects in the bucket of the pictures: the list of them, and the inspections of one object
//! and of one picture.
//!
//! An inspection reads the bucket first, and then the photo, consistently. Once a photo is not
//! pending, what it shows does not change any more. So an object that no photo needs in this moment
//! is never needed again, and a repair can delete it, although no condition covers both S3 and
//! DynamoDB.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use aws_sdk_s3::error::SdkError;
use aws_sdk_s3::operation::get_object::GetObjectError;
use futures_util::TryStreamExt;
use futures_util::stream::{self, Stream};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use shared::entities::object::{
    IMPORTED_PREFIX, INCOMING_PREFIX, PICTURES_PREFIX, Size, photo_of_incoming_key, photo_of_picture_key, picture_key,
    pictures_prefix,
};
use shared::entities::{Key, Position};
use shared::runtime::bucket::delete_versions;
use shared::values::EpochMillis;
use shared::{Bucket, Table};

use super::entity::{Entity, PictureState};
use super::several;
use super::user_state::{UserState, user_state};
use crate::audit::error::Error;
use crate::audit::finding::{ObjectFault, PhotosFinding, PictureOf};
use crate::audit::read;
use crate::explain::explain;

/// The prefix to which a repair moves objects. A rule of the bucket in template.yaml deletes them
/// 30 days later.
const ORPHANS_PREFIX: &str = "orphans/";
/// The characters that the source of a copy has to encode.
const ENCODED_IN_COPY_SOURCE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_');

/// The versions of an object.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) key: String,
    /// The time of the newest version or delete marker, in milliseconds since 1970.
    pub(super) modified: i64,
    /// Whether the newest version is not a delete marker, so that a GET returns it.
    pub(super) is_current: bool,
}

impl Object {
    /// Returns whether it is an uploaded file, or the picture of an import.
    pub(super) fn is_incoming(&self) -> bool {
        [INCOMING_PREFIX, IMPORTED_PREFIX].iter().any(|prefix| self.key.starts_with(prefix))
    }
}

/// Returns the prefixes in which the bucket is listed concurrently. Each list is sequential, so
/// there is one for each character with which a username can begin. Keys of another form in
/// `photos/` are not those of pictures.
pub(super) fn prefixes() -> impl Iterator<Item = String> {
    let of_users = (b'a'..=b'z').chain(b'0'..=b'9').map(|first| format!("{PICTURES_PREFIX}{}", char::from(first)));
    of_users.chain([INCOMING_PREFIX, IMPORTED_PREFIX].map(str::to_owned))
}

/// Returns the objects whose keys begin with `prefix`, in pages of up to 1,000 versions. The
/// versions of one object can be on two pages.
pub(super) fn pages(bucket: &Bucket, prefix: String) -> impl Stream<Item = Result<Vec<Object>, Error>> {
    type Markers = (Option<String>, Option<String>);
    stream::try_unfold(Some(Markers::default()), move |markers| {
        let (bucket, prefix) = (bucket.clone(), prefix.clone());
        async move {
            let Some((key_marker, version_id_marker)) = markers else { return Ok(None) };
            let list = bucket.client.list_object_versions().bucket(&bucket.name).prefix(prefix);
            let list = list.set_key_marker(key_marker).set_version_id_marker(version_id_marker);
            let failed = |error| Error::Bucket(bucket.name.clone(), explain(&error));
            let page = list.send().await.map_err(failed)?;
            let versions = (page.versions().iter())
                .map(|version| (version.key(), version.last_modified(), version.is_latest() == Some(true)));
            let markers = page.delete_markers().iter().map(|marker| (marker.key(), marker.last_modified(), false));
            let mut objects: BTreeMap<&str, Object> = BTreeMap::new();
            for (key, modified, is_current) in versions.chain(markers) {
                let Some(key) = key else { continue };
                let object = objects.entry(key).or_insert_with(|| Object {
                    key: key.to_owned(),
                    modified: i64::MIN,
                    is_current: false,
                });
                object.modified = object.modified.max(modified.and_then(|time| time.to_millis().ok()).unwrap_or(0));
                object.is_current |= is_current;
            }
            let objects = objects.into_values().collect();
            let next =
                (page.is_truncated() == Some(true)).then_some((page.next_key_marker, page.next_version_id_marker));
            Ok(Some((objects, next)))
        }
    })
}

/// Returns the objects whose keys begin with `prefix`.
pub(super) async fn list(bucket: &Bucket, prefix: String) -> Result<Vec<Object>, Error> {
    let mut objects: BTreeMap<String, Object> = BTreeMap::new();
    let mut pages = pin!(pages(bucket, prefix));
    while let Some(page) = pages.try_next().await? {
        for object in page {
            match objects.entry(object.key.clone()) {
                // The newest version is on the first of two pages.
                Entry::Occupied(_) => {}
                Entry::Vacant(entry) => drop(entry.insert(object)),
            }
        }
    }
    Ok(objects.into_values().collect())
}

/// Returns the defect of an object at this moment, if it has one: no photo needs it, or it is an
/// upload whose event is lost. A younger object than `min_age` has none, because an event of it may
/// still be delivered.
pub(super) async fn inspect(
    table: &Table,
    bucket: &Bucket,
    key: &str,
    min_age: Duration,
) -> Result<Option<PhotosFinding>, Error> {
    let listed = list(bucket, key.to_owned()).await?.into_iter().find(|object| object.key == *key);
    let Some(object) = listed.filter(|object| object.is_current && is_old(object, min_age)) else { return Ok(None) };
    let orphan = |fault| Some(PhotosFinding::Object { key: key.to_owned(), modified: object.modified, fault });
    let picture = photo_of_picture_key(key).map(|(owner, photo, number, id)| ((owner, photo, number), Some(id)));
    let Some(((username, photo, number), picture_id)) =
        picture.or_else(|| photo_of_incoming_key(key).map(|of_file| (of_file, None)))
    else {
        return Ok(orphan(ObjectFault::NoPhoto));
    };
    let found = match read::entity(table, Key::photo(&username, &photo)).await? {
        // finish-deletion deletes the objects of a deleted user.
        None if user_state(table, &username).await? == UserState::Deletion => return Ok(None),
        None => return Ok(orphan(ObjectFault::NoPhoto)),
        // The trace of a photo. finish-deletion deletes the objects before it leaves the trace, or,
        // if the photo has expired, right after it.
        Some(Ok(Entity::PhotoDeletion { deletion, .. })) if deletion.ttl.is_some() => {
            return Ok(orphan(ObjectFault::NoPhoto));
        }
        Some(Ok(Entity::Photo { photo, .. })) => photo,
        // finish-deletion deletes the objects of a photo that is being deleted. Somebody can repair
        // a malformed photo.
        Some(_) => return Ok(None),
    };
    let Some(states) = several::states(table, *found).await? else {
        return Ok(None);
    };
    let Some((_, state)) = states.into_iter().find(|(of, _)| *of == number) else {
        let deletion = number.map(|number| Key::picture_deletion(&username, &photo, number));
        let is_deleted = match deletion {
            Some(key) => read::get(table, key).await?.is_some(),
            None => false,
        };
        // finish-deletion deletes the objects of a picture that its owner has removed.
        return Ok(if is_deleted { None } else { orphan(ObjectFault::NotShown) });
    };
    Ok(match (state, picture_id) {
        // Its message may wait for a day, and the photo expires then.
        (PictureState::Pending, None) if key.starts_with(IMPORTED_PREFIX) => None,
        (PictureState::Pending, None) => {
            let of = PictureOf { photo: Position { id: photo, author: username }, number };
            Some(PhotosFinding::Upload { of, modified: object.modified })
        }
        // The picture is settled, or expires, and then the object is deleted.
        (PictureState::Pending, Some(_)) => None,
        (PictureState::Ready { id: shown, .. }, Some(id)) if shown == id => None,
        (PictureState::Ready { .. }, _) => orphan(ObjectFault::NotShown),
        (PictureState::Rejected, _) => orphan(ObjectFault::Rejected),
        (PictureState::None, _) => orphan(ObjectFault::NoPicture),
    })
}

/// Returns whether an object is so old that no event of it is delivered any more.
pub(super) fn is_old(object: &Object, min_age: Duration) -> bool {
    let now = i64::try_from(u64::from(EpochMillis::now())).unwrap_or(i64::MAX);
    let min_age = i64::try_from(min_age.as_millis()).unwrap_or(i64::MAX);
    object.modified <= now.saturating_sub(min_age)
}

/// Returns the sizes of the pictures of a photo that the bucket lacks.
pub(super) async fn inspect_picture(
    table: &Table,
    bucket: &Bucket,
    position: &Position,
) -> Result<Option<PhotosFinding>, Error> {
    let Position { author, id } = position;
    let objects = list(bucket, pictures_prefix(author, id)).await?;
    let Some(Ok(Entity::Photo { photo, .. })) = read::entity(table, Key::photo(author, id)).await? else {
        return Ok(None);
    };
    let is_missing = |key: &String| !objects.iter().any(|object| object.is_current && object.key == *key);
    let mut missing = vec![];
    for (number, state) in several::states(table, *photo).await?.unwrap_or_default() {
        let PictureState::Ready { id: picture, width, .. } = state else { continue };
        let sizes = Size::of_picture(width).map(|(size, _)| picture_key(author, id, number, &picture, size));
        missing.extend(sizes.filter(is_missing));
    }
    Ok((!missing.is_empty()).then(|| PhotosFinding::MissingObjects { photo: position.clone(), missing }))
}

/// Moves the current version of an object to [`ORPHANS_PREFIX`], where it stays for 30 days, and
/// deletes the others.
pub(super) async fn move_to_orphans(bucket: &Bucket, key: &str) -> Result<bool, Error> {
    let source = utf8_percent_encode(&format!("{}/{key}", bucket.name), ENCODED_IN_COPY_SOURCE).to_string();
    let copy = bucket.client.copy_object().bucket(&bucket.name).key(format!("{ORPHANS_PREFIX}{key}"));
    copy.copy_source(source).send().await.map_err(|error| failed(key, explain(&error)))?;
    delete_versions(bucket, key, |other| other != key).await?;
    Ok(true)
}

/// Uploads the file of a photo once more, which makes an event that starts process-photo. Returns
/// false if the file is gone. If the photo has been settled or deleted meanwhile, process-photo
/// deletes the file.
pub(super) async fn upload_again(bucket: &Bucket, key: &str) -> Result<bool, Error> {
    let Some((bytes, content_type)) = read(bucket, key).await? else { return Ok(false) };
    let put = bucket.client.put_object().bucket(&bucket.name).key(key).set_content_type(content_type);
    put.body(bytes.into()).send().await.map_err(|error| failed(key, explain(&error)))?;
    Ok(true)
}

/// Returns the content of an object and its type, or `None` if the bucket does not have it.
pub(super) async fn read(bucket: &Bucket, key: &str) -> Result<Option<(Vec<u8>, Option<String>)>, Error> {
    let file = match bucket.client.get_object().bucket(&bucket.name).key(key).send().await {
        Ok(file) => file,
        Err(SdkError::ServiceError(error)) if matches!(error.err(), GetObjectError::NoSuchKey(_)) => return Ok(None),
        Err(error) => return Err(failed(key, explain(&error))),
    };
    let content_type = file.content_type().map(ToOwned::to_owned);
    let bytes = file.body.collect().await.map_err(|error| failed(key, error))?.to_vec();
    Ok(Some((bytes, content_type)))
}

/// Returns the error of a repair for which an object cannot be read or written.
pub(super) fn failed(key: &str, reason: impl fmt::Display) -> Error {
    Error::Repair(format!("object {key:?}: {reason}"))
}
