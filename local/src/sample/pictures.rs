//! The pictures of the sample data: 48 scenes and 20 portraits.
//!
//! Their attributes are in `local/sample/pictures.json`, and the three sizes of each are files in
//! `local/sample/pictures`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context as _, Result};
use axum::body::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use shared::entities::object::{Size, incoming_key, picture_key};
use shared::entities::{Picture, Sizes};
use shared::values::{PhotoId, PictureNumber, Username};

use crate::services::s3::Object;
use crate::template::Template;

/// The folder of the JPEGs, in the project.
const FOLDER: &str = "local/sample/pictures";

/// The number of scenes.
pub(super) const NUMBER_OF_SCENES: usize = 48;

/// A picture, by its entry in pictures.json.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    /// The beginning of the names of its files.
    name: String,
    /// The sizes, with an id as if it were made from the file that a user has uploaded.
    #[serde(flatten)]
    sizes: Sizes,
    /// The vector, whose elements are each a byte, in Base64.
    vector: String,
    alt_text: String,
    /// Captions that its photographer may write.
    captions: Vec<String>,
}

/// The scenes, in an order in which neighbours differ, and then the portraits in the order of the
/// users.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../sample/pictures.json")).expect("pictures.json has these fields")
});

/// The motif of a photo: a scene or a portrait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// The scene with this index.
    Scene(usize),
    /// The user with this index.
    Portrait(usize),
}

impl Subject {
    /// Returns what the photo at this index of the sample data shows: portraits of the users, and
    /// between and after them scenes.
    pub(super) fn of_photo(index: usize) -> Self {
        match index {
            1 => Self::Portrait(0),
            4..23 => Self::Portrait(index - 3),
            _ => Self::Scene(index % NUMBER_OF_SCENES),
        }
    }

    fn entry(self) -> &'static Entry {
        match self {
            Self::Scene(index) => &ENTRIES[index],
            Self::Portrait(index) => &ENTRIES[NUMBER_OF_SCENES + index],
        }
    }

    /// Returns what the picture shows.
    pub(super) fn alt_text(self) -> &'static str {
        &self.entry().alt_text
    }

    /// Returns what its photographer may write below the picture.
    pub(super) fn captions(self) -> &'static [String] {
        &self.entry().captions
    }

    /// Returns the other two pictures of a photo of several whose first one this is: the same motif once more, and
    /// another one.
    pub(super) fn others(self) -> [Self; 2] {
        let name = &self.entry().name;
        let again = name.strip_suffix("-2").map_or_else(|| format!("{name}-2"), str::to_owned);
        let again = ENTRIES.iter().position(|entry| entry.name == again).unwrap_or_default();
        [Self::Scene(again), Self::Scene((again + 1) % NUMBER_OF_SCENES)]
    }

    /// Returns the picture as the item of the photo has it, or of several pictures the item with this number.
    pub(super) fn picture(self, number: Option<PictureNumber>) -> Picture {
        Picture::Ready(Sizes { number, ..self.entry().sizes.clone() })
    }

    /// Returns the vector of the picture.
    pub(super) fn vector(self) -> Vec<i8> {
        let bytes = STANDARD.decode(&self.entry().vector).expect("pictures.json has Base64");
        bytes.into_iter().map(u8::cast_signed).collect()
    }
}

/// The JPEGs of all pictures, by the name of the file.
pub(super) struct Jpegs(HashMap<String, Bytes>);

impl Jpegs {
    /// Reads the files.
    pub(super) fn read() -> Result<Self> {
        let folder = Template::find()?.with_file_name(FOLDER);
        let names = ENTRIES.iter().flat_map(|entry| Size::ALL.map(|size| file_name(entry, size)));
        names.map(|name| Ok((name.clone(), read(&folder.join(name))?))).collect::<Result<_>>().map(Self)
    }

    /// Returns the objects of a picture of a photo with their keys.
    pub(super) fn of_picture(
        &self,
        (number, subject): (Option<PictureNumber>, Subject),
        (owner, photo): &(Username, PhotoId),
    ) -> [(String, Object); Size::ALL.len()] {
        let entry = subject.entry();
        Size::ALL.map(|size| {
            let cache_control = Some("private, max-age=604800".to_owned());
            (picture_key(owner, photo, number, &entry.sizes.id, size), self.object(entry, size, cache_control))
        })
    }

    /// Returns the file that is uploaded for a photo, and its key.
    pub(super) fn upload(&self, (owner, photo): &(Username, PhotoId)) -> (String, Object) {
        (incoming_key(owner, photo, None), self.object(&ENTRIES[0], Size::Small, None))
    }

    fn object(&self, entry: &Entry, size: Size, cache_control: Option<String>) -> Object {
        let bytes = self.0[&file_name(entry, size)].clone();
        Object { content_type: Some("image/jpeg".to_owned()), cache_control, bytes }
    }
}

fn read(file: &Path) -> Result<Bytes> {
    fs::read(file).map(Bytes::from).with_context(|| format!("cannot read {}", file.display()))
}

fn file_name(entry: &Entry, size: Size) -> String {
    format!("{}-{}.jpg", entry.name, size.name())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::sample::generate::USERS;

    /// Returns the square of the distance of two vectors.
    fn distance(one: &[i8], other: &[i8]) -> i32 {
        one.iter().zip(other).map(|(one, other)| (i32::from(*one) - i32::from(*other)).pow(2)).sum()
    }

    #[test]
    fn pictures_json_describes_the_files() {
        let jpegs = Jpegs::read().unwrap();
        let scenes = (0..NUMBER_OF_SCENES).map(Subject::Scene);
        let subjects: Vec<_> = scenes.chain((0..USERS).map(Subject::Portrait)).collect();
        for subject in &subjects {
            let entry = subject.entry();
            let sizes = &entry.sizes;
            let files = Size::ALL.map(|size| &jpegs.0[&file_name(entry, size)]);
            let [small, medium, large] = files;
            let processed = pictures::process(large).unwrap();
            assert_eq!((processed.width, processed.height), (sizes.width, sizes.height), "{}", entry.name);
            assert_eq!(files.map(Bytes::len).iter().sum::<usize>() as u64, sizes.bytes, "{}", entry.name);
            let widths = [small, medium].map(|file| pictures::process(file).unwrap().width);
            assert_eq!(widths, [pictures::SMALL_WIDTH, pictures::MEDIUM_WIDTH], "{}", entry.name);
            // The vectors were made of the pictures before they were JPEGs, so they differ a little.
            let vector = pictures::vector(small).unwrap();
            let nearest = subjects.iter().min_by_key(|other| distance(&vector, &other.vector()));
            assert_eq!(nearest, Some(subject), "{}", entry.name);
        }
    }

    #[test]
    fn every_picture_differs_and_is_1600_pixels_long() {
        let blurhashes: HashSet<&str> = ENTRIES.iter().map(|entry| &*entry.sizes.blurhash).collect();
        assert_eq!((ENTRIES.len(), blurhashes.len()), (NUMBER_OF_SCENES + USERS, ENTRIES.len()));
        assert!(ENTRIES.iter().all(|entry| entry.sizes.width.max(entry.sizes.height) == 1600));
    }
}
