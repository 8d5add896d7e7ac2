//! The pictures of the sample data, which this module draws at the size that the app shows.
//!
//! Drawing takes seconds, so the JPEGs are kept beside the binaries, and the next start reads them.
//! The items say what is drawn, by drawn.json, so that nobody has to draw first.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::many_single_char_names,
    clippy::similar_names,
    clippy::too_many_lines,
    reason = "a scene is one long list of shapes, in units below 10,000"
)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;

use axum::body::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pictures::{Processed, process};
use png::{BitDepth, ColorType, Compression, Encoder};
use shared::entities::object::{Size, incoming_key, picture_key};
use shared::entities::{Picture, Sizes};
use shared::values::{Timestamp, Username};
use tempfile::Builder;

use self::canvas::Canvas;
use self::drawn::{DRAWN, Drawn};
use self::motifs::{Motif, PORTRAITS, SCENES};
use crate::lambda::build;
use crate::services::s3::Object;

mod canvas;
mod city;
mod drawn;
mod motifs;
mod mountains;
mod plains;
mod plants;
mod portrait;
mod sea;
mod still;
mod street;
mod window;

/// The number of scenes.
pub(super) const NUMBER_OF_SCENES: usize = SCENES.len();

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

    /// Returns the index of the motif in the scenes, followed by the portraits.
    fn index(self) -> usize {
        match self {
            Self::Scene(index) => index,
            Self::Portrait(index) => NUMBER_OF_SCENES + index,
        }
    }

    /// Returns what the picture shows.
    pub(super) fn alt_text(self) -> &'static str {
        motif(self.index()).alt_text
    }

    /// Returns what its photographer may write below the picture.
    pub(super) fn captions(self) -> &'static [&'static str] {
        motif(self.index()).captions
    }

    /// Returns the picture as the photo's item has it.
    pub(super) fn picture(self) -> Picture {
        let ((width, height), drawn) = (motif(self.index()).size, &DRAWN[self.index()]);
        let Drawn { id, bytes, blurhash, .. } = drawn;
        Picture::Ready(Sizes { id: id.clone(), width, height, bytes: *bytes, blurhash: blurhash.clone() })
    }

    /// Returns the vector of the picture.
    pub(super) fn vector(self) -> Vec<i8> {
        let bytes = STANDARD.decode(&DRAWN[self.index()].vector).expect("drawn.json has Base64");
        bytes.into_iter().map(u8::cast_signed).collect()
    }

    /// Returns the objects of the photo with their keys.
    pub(super) fn objects(self, (owner, timestamp): &(Username, Timestamp)) -> Vec<(String, Object)> {
        let [large, small] = &jpegs()[self.index()];
        let object = |size, jpeg: &Bytes| {
            let cache_control = Some("private, max-age=604800".to_owned());
            let object = Object { content_type: Some("image/jpeg".to_owned()), cache_control, bytes: jpeg.clone() };
            (picture_key(owner, timestamp, &DRAWN[self.index()].id, size), object)
        };
        vec![object(Size::Large, large), object(Size::Small, small)]
    }
}

/// Returns the file that is uploaded for a photo, and its key.
pub(super) fn upload((owner, timestamp): &(Username, Timestamp)) -> (String, Object) {
    let motif = &SCENES[0];
    let mut canvas = Canvas::new(motif.size.0 / 4, motif.size.1 / 4, 1);
    (motif.draw)(&mut canvas, motif.colors);
    let bytes = png(&canvas).into();
    (incoming_key(owner, timestamp), Object { content_type: Some("image/png".to_owned()), cache_control: None, bytes })
}

fn motif(index: usize) -> &'static Motif {
    SCENES.get(index).unwrap_or_else(|| &PORTRAITS[index - SCENES.len()])
}

/// Returns the large and the small JPEG of each motif.
fn jpegs() -> &'static [[Bytes; 2]] {
    static JPEGS: OnceLock<Vec<[Bytes; 2]>> = OnceLock::new();
    JPEGS.get_or_init(|| {
        let directory = build::directory().ok().map(|directory| directory.join("sample-pictures"));
        for_each_motif(|index| kept(directory.as_deref(), index))
    })
}

/// Computes something of each motif, on all processors.
fn for_each_motif<T: Send>(compute: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let compute = &compute;
    let mut computed: Vec<(usize, T)> = thread::scope(|scope| {
        let every = |first: usize| (first..DRAWN.len()).step_by(threads).map(|index| (index, compute(index)));
        let threads: Vec<_> = (0..threads).map(|first| scope.spawn(move || every(first).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a picture can be drawn")).collect()
    });
    computed.sort_by_key(|(index, _)| *index);
    computed.into_iter().map(|(_, value)| value).collect()
}

/// Returns the JPEGs of a motif from the files in a directory. Draws them if there are none, and
/// keeps them there if it can.
fn kept(directory: Option<&Path>, index: usize) -> [Bytes; 2] {
    let Drawn { id, bytes, .. } = &DRAWN[index];
    let files = ["large", "small"].map(|size| Some(directory?.join(format!("{id}-{bytes}-{size}.jpg"))));
    let read = |file: &Option<PathBuf>| fs::read(file.as_ref()?).ok();
    if let [Some(large), Some(small)] = files.each_ref().map(read) {
        return [large.into(), small.into()];
    }
    let Processed { large, small, .. } = processed(&draw(index));
    let jpegs = [large.into(), small.into()];
    for (file, jpeg) in files.iter().zip(&jpegs) {
        // Another process may be writing the same file, so it gets its name when it is complete.
        let keep = || {
            let (directory, file) = (directory?, file.as_ref()?);
            fs::create_dir_all(directory).ok()?;
            // By default, nobody else than the user of this process could read it.
            let complete = Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(directory).ok()?;
            fs::write(complete.path(), jpeg).ok()?;
            complete.persist(file).ok()
        };
        keep();
    }
    jpegs
}

/// Draws a motif.
fn draw(index: usize) -> Canvas {
    let motif = motif(index);
    let mut canvas = Canvas::new(motif.size.0, motif.size.1, index as u64 + 1);
    (motif.draw)(&mut canvas, motif.colors);
    canvas
}

/// Returns what process-photo makes of a canvas that is uploaded.
fn processed(canvas: &Canvas) -> Processed {
    process(&png(canvas)).expect("the drawn picture is within the limits")
}

fn png(canvas: &Canvas) -> Vec<u8> {
    let (width, height) = canvas.size();
    let mut png = Vec::new();
    let mut encoder = Encoder::new(&mut png, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let mut writer = encoder.write_header().expect("a PNG of this size");
    writer.write_image_data(canvas.pixels()).expect("a PNG has the pixels of its size");
    writer.finish().expect("a PNG ends");
    png
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shared::values::PictureId;

    use super::*;

    #[test]
    fn the_items_say_what_is_drawn() {
        let computed = for_each_motif(|index| {
            let canvas = draw(index);
            let Processed { width, height, blurhash, vector, large, small } = processed(&canvas);
            assert_eq!(motif(index).size, (width, height));
            let bytes = (large.len() + small.len()) as u64;
            let vector = STANDARD.encode(vector.map(i8::cast_unsigned));
            Drawn { id: PictureId::from_file(canvas.pixels()), bytes, blurhash, vector }
        });
        let lines: Vec<String> = computed.iter().map(|drawn| serde_json::to_string(drawn).unwrap()).collect();
        assert!(*DRAWN == computed, "drawn.json should be this:\n[\n{}\n]", lines.join(",\n"));
    }

    #[test]
    fn every_picture_differs_and_is_1600_pixels_long() {
        let blurhashes: HashSet<&str> = DRAWN.iter().map(|drawn| &*drawn.blurhash).collect();
        assert_eq!((DRAWN.len(), blurhashes.len()), (SCENES.len() + PORTRAITS.len(), DRAWN.len()));
        assert!(SCENES.len() >= 40);
        assert!(SCENES.iter().chain(PORTRAITS).all(|motif| motif.size.0.max(motif.size.1) == 1600));
    }

    #[test]
    fn a_drawn_picture_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let first = kept(Some(directory.path()), 3);
        let files: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(files.len(), 2, "{files:?}");
        assert_eq!(first.iter().map(Bytes::len).sum::<usize>() as u64, DRAWN[3].bytes);
        // Whoever can read a file that this process writes can read the pictures.
        fs::write(directory.path().join("any"), "").unwrap();
        let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode();
        for file in &files {
            assert_eq!(mode(file), mode(&directory.path().join("any")));
            fs::write(file, b"kept").unwrap();
        }
        assert_eq!(kept(Some(directory.path()), 3), ["kept", "kept"]);
    }
}
