//! The keys of the objects in the bucket of the photos.
//!
//! | object | key |
//! |---|---|
//! | the uploaded file, which process-photo deletes when it has processed it | `incoming/<username>/<photo>` |
//! | a [`Size`] of the picture | `photos/<username>/<photo>/<id>/<size>.jpg` |
//! | the same of one of [several pictures](super::Pictures), whose `<number>` the other keys have at the end | `photos/<username>/<photo>/<number>/<id>/<size>.jpg` |
//! | the file of an export | `exports/<username>/<id>.zip` |
//! | the file of an import, which read-import deletes when it has read it | `imports/<username>/<id>.zip` |
//! | a picture of an import, which process-photo deletes when it has processed it | `imported/<username>/<photo>` |
//! | what write-export keeps of a part of this file until it is complete | `exports/<username>/<id>/<part>` |
//!
//! The [`PictureId`] is a hash of the uploaded file. So an object never changes: two files that are
//! uploaded for the same photo have different keys, and a file that is processed twice is written
//! twice with the same bytes.

use crate::values::{ExportId, ImportId, PhotoId, PictureId, PictureNumber, Username};

/// The prefix of the keys of uploaded files. The function process-photo gets an event for each new
/// object with it.
pub const INCOMING_PREFIX: &str = "incoming/";
/// The prefix of the keys of pictures.
pub const PICTURES_PREFIX: &str = "photos/";
/// The prefix of the keys of exports. A rule of the bucket deletes them.
pub const EXPORTS_PREFIX: &str = "exports/";
/// The prefix of the keys of the files of imports. The function read-import gets an event for each
/// new object with it.
pub const IMPORTS_PREFIX: &str = "imports/";
/// The prefix of the keys of the pictures of imports. No function gets an event for them:
/// read-import sends a message to a queue of process-photo, in which imports wait and uploads do
/// not.
pub const IMPORTED_PREFIX: &str = "imported/";

/// A size of a picture, which is one JPEG.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// At most 440 pixels wide: a column of a grid of three on a phone.
    Small,
    /// At most 800 pixels wide: the width of a phone.
    Medium,
    /// At most 1600 pixels wide.
    Large,
}

impl Size {
    /// The sizes, ascending.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// Returns the maximum width in pixels.
    #[must_use]
    pub const fn max_width(self) -> u32 {
        match self {
            Self::Small => 440,
            Self::Medium => 800,
            Self::Large => 1600,
        }
    }

    /// Returns the sizes of a picture whose largest JPEG has this width in pixels, with their
    /// widths, ascending. A picture is never enlarged, and no JPEG is a copy of a smaller size: a
    /// picture of 600 pixels has two sizes, of 440 and 600 pixels.
    pub fn of_picture(width: u32) -> impl Iterator<Item = (Self, u32)> {
        let narrower = [0, Self::Small.max_width(), Self::Medium.max_width()];
        let is_needed = move |(_, narrower): &(Self, u32)| width > *narrower;
        Self::ALL.into_iter().zip(narrower).filter(is_needed).map(move |(size, _)| (size, size.max_width().min(width)))
    }

    /// Returns the largest size of a picture of this width in pixels.
    #[must_use]
    pub fn largest(width: u32) -> Self {
        Self::of_picture(width).last().map_or(Self::Small, |(size, _)| size)
    }

    /// Returns the name of the size in the keys of objects.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Large => "large",
        }
    }
}

/// Returns the prefixes of the keys of all objects of a user.
#[must_use]
pub fn owner_prefixes(owner: &Username) -> [String; 5] {
    [INCOMING_PREFIX, PICTURES_PREFIX, EXPORTS_PREFIX, IMPORTS_PREFIX, IMPORTED_PREFIX]
        .map(|prefix| format!("{prefix}{owner}/"))
}

/// Returns the key of the file that a user uploads for a photo, or for one of its several pictures.
#[must_use]
pub fn incoming_key(owner: &Username, photo: &PhotoId, number: Option<PictureNumber>) -> String {
    file_key(INCOMING_PREFIX, owner, photo, number)
}

/// Returns the key of the picture of a photo of an import, or of one of its several pictures.
#[must_use]
pub fn imported_key(owner: &Username, photo: &PhotoId, number: Option<PictureNumber>) -> String {
    file_key(IMPORTED_PREFIX, owner, photo, number)
}

fn file_key(prefix: &str, owner: &Username, photo: &PhotoId, number: Option<PictureNumber>) -> String {
    match number {
        None => format!("{prefix}{owner}/{photo}"),
        Some(number) => format!("{prefix}{owner}/{photo}/{number}"),
    }
}

/// Returns the owner and the id of the photo for which an object was uploaded or imported, and the number
/// of the picture, or `None` if its key is not one that [`incoming_key`] or [`imported_key`] returns.
/// Neither a username nor the id of a photo has a `/`.
#[must_use]
pub fn photo_of_incoming_key(key: &str) -> Option<(Username, PhotoId, Option<PictureNumber>)> {
    let name = key.strip_prefix(INCOMING_PREFIX).or_else(|| key.strip_prefix(IMPORTED_PREFIX))?;
    let (owner, photo) = name.split_once('/')?;
    let (photo, number) = match photo.split_once('/') {
        None => (photo, None),
        Some((photo, number)) => (photo, Some(number.parse().ok()?)),
    };
    Some((owner.parse().ok()?, photo.parse().ok()?, number))
}

/// Returns the key of a size of a picture.
#[must_use]
pub fn picture_key(
    owner: &Username,
    photo: &PhotoId,
    number: Option<PictureNumber>,
    id: &PictureId,
    size: Size,
) -> String {
    format!("{}{}.jpg", picture_prefix(owner, photo, number, id), size.name())
}

/// Returns the prefix of the keys of all sizes of a picture.
#[must_use]
pub fn picture_prefix(owner: &Username, photo: &PhotoId, number: Option<PictureNumber>, id: &PictureId) -> String {
    match number {
        None => format!("{}{id}/", pictures_prefix(owner, photo)),
        Some(number) => format!("{}{id}/", numbered_prefix(owner, photo, number)),
    }
}

/// Returns the prefix of the keys of everything that was made from the files for one of several
/// pictures.
#[must_use]
pub fn numbered_prefix(owner: &Username, photo: &PhotoId, number: PictureNumber) -> String {
    format!("{}{number}/", pictures_prefix(owner, photo))
}

/// Returns the prefix of the keys of all pictures of a photo. There is one, unless process-photo
/// was interrupted.
#[must_use]
pub fn pictures_prefix(owner: &Username, photo: &PhotoId) -> String {
    format!("{PICTURES_PREFIX}{owner}/{photo}/")
}

/// Returns the owner and the id of the photo that the key of a picture belongs to, the number of the
/// picture and its id, or `None` if it is not one that [`picture_key`] returns.
#[must_use]
pub fn photo_of_picture_key(key: &str) -> Option<(Username, PhotoId, Option<PictureNumber>, PictureId)> {
    let parts: Vec<&str> = key.strip_prefix(PICTURES_PREFIX)?.split('/').collect();
    let (owner, photo, number, id) = match parts[..] {
        [owner, photo, id, _] => (owner, photo, None, id),
        [owner, photo, number, id, _] => (owner, photo, Some(number.parse().ok()?), id),
        _ => return None,
    };
    Some((owner.parse().ok()?, photo.parse().ok()?, number, id.parse().ok()?))
}

/// Returns the `location` of a new photo.
#[must_use]
pub fn location(bucket: &str, owner: &Username, photo: &PhotoId) -> String {
    format!("s3://{bucket}/{PICTURES_PREFIX}{owner}/{photo}")
}

/// Returns the prefix of the keys of all exports of a user.
#[must_use]
pub fn exports_prefix(owner: &Username) -> String {
    format!("{EXPORTS_PREFIX}{owner}/")
}

/// Returns the prefix of the keys of all imports of a user.
#[must_use]
pub fn imports_prefix(owner: &Username) -> String {
    format!("{IMPORTS_PREFIX}{owner}/")
}

/// Returns the key of the file of an import.
#[must_use]
pub fn import_key(owner: &Username, id: &ImportId) -> String {
    format!("{}{id}.zip", imports_prefix(owner))
}

/// Returns the user and the id of the import whose file has this key, or `None` if it is not one
/// that [`import_key`] returns.
#[must_use]
pub fn import_of_key(key: &str) -> Option<(Username, ImportId)> {
    let (owner, id) = key.strip_prefix(IMPORTS_PREFIX)?.split_once('/')?;
    Some((owner.parse().ok()?, id.strip_suffix(".zip")?.parse().ok()?))
}

/// Returns the name of the picture of a photo in the file of an export, or of one of its several
/// pictures. No other picture has the same. A name in Windows has no colon.
#[must_use]
pub fn exported_name(photo: &PhotoId, number: Option<PictureNumber>) -> String {
    let name = photo.as_ref().replace(':', "-");
    match number {
        None => format!("pictures/{name}.jpg"),
        Some(number) => format!("pictures/{name}-{number}.jpg"),
    }
}

/// Returns the key of the file of an export.
#[must_use]
pub fn export_key(owner: &Username, id: &ExportId) -> String {
    format!("{}{id}.zip", exports_prefix(owner))
}

/// Returns the prefix of the keys of what write-export keeps of the parts of a file.
#[must_use]
pub fn export_parts_prefix(owner: &Username, id: &ExportId) -> String {
    format!("{}{id}/", exports_prefix(owner))
}

/// Returns the key of what write-export keeps of a part of a file.
#[must_use]
pub fn export_part_key(owner: &Username, id: &ExportId, part: u32) -> String {
    format!("{}{part}", export_parts_prefix(owner, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_upload_parses_into_its_parts() {
        let (ada, time): (Username, PhotoId) = ("ada".parse().unwrap(), "2024-05-30T15:42:38.123Z".parse().unwrap());
        assert_eq!(incoming_key(&ada, &time, None), "incoming/ada/2024-05-30T15:42:38.123Z");
        assert_eq!(incoming_key(&ada, &time, "10".parse().ok()), "incoming/ada/2024-05-30T15:42:38.123Z/10");
        for number in [None, Some(PictureNumber::FIRST)] {
            for key in [incoming_key(&ada, &time, number), imported_key(&ada, &time, number)] {
                assert_eq!(photo_of_incoming_key(&key), Some((ada.clone(), time.clone(), number)), "{key}");
            }
        }
        for other in
            ["incoming/", "incoming/ada", "incoming/ada/", "incoming/ada/x", "incoming/Ada/2024-05-30T15:42:38"]
        {
            assert_eq!(photo_of_incoming_key(other), None, "{other}");
        }
        assert_eq!(photo_of_incoming_key("photos/ada/2024-05-30T15:42:38"), None);
        assert_eq!(photo_of_incoming_key("incoming/ada/2024-05-30T15:42:38/x"), None);
    }

    #[test]
    fn a_key_of_a_picture_parses_into_its_parts() {
        let (ada, time): (Username, PhotoId) = ("ada".parse().unwrap(), "2024-05-30T15:42:38".parse().unwrap());
        // printf abc | sha256sum
        let id = PictureId::from_file(b"abc");
        assert_eq!(id.to_string(), "ba7816bf8f01cfea");
        for (number, expected) in [
            (None, "photos/ada/2024-05-30T15:42:38/ba7816bf8f01cfea/large.jpg"),
            (Some(PictureNumber::FIRST), "photos/ada/2024-05-30T15:42:38/1/ba7816bf8f01cfea/large.jpg"),
        ] {
            let key = picture_key(&ada, &time, number, &id, Size::Large);
            assert_eq!(key, expected);
            for other in [Size::Small, Size::Medium] {
                assert_ne!(key, picture_key(&ada, &time, number, &id, other));
            }
            assert_eq!(photo_of_picture_key(&key), Some((ada.clone(), time.clone(), number, id.clone())));
        }
        assert_eq!(photo_of_picture_key("photos/ada/2024-05-30T15:42:38/x/ba7816bf8f01cfea/large.jpg"), None);
        assert_eq!(photo_of_picture_key("photos/ada/2024-05-30T15:42:38"), None);
        assert_eq!(photo_of_picture_key("incoming/ada/2024-05-30T15:42:38"), None);
    }

    #[test]
    fn a_narrow_picture_has_fewer_sizes() {
        for (width, expected) in [
            (1, &[(Size::Small, 1)][..]),
            (440, &[(Size::Small, 440)]),
            (441, &[(Size::Small, 440), (Size::Medium, 441)]),
            (800, &[(Size::Small, 440), (Size::Medium, 800)]),
            (801, &[(Size::Small, 440), (Size::Medium, 800), (Size::Large, 801)]),
            (1600, &[(Size::Small, 440), (Size::Medium, 800), (Size::Large, 1600)]),
        ] {
            assert_eq!(Size::of_picture(width).collect::<Vec<_>>(), expected);
            assert_eq!(Some(&(Size::largest(width), width)), expected.last());
        }
    }
}
