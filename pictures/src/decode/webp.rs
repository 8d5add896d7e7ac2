use std::borrow::Cow;
use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use crate::bitmap::Channels;
use crate::blocks::Blocks;
use crate::decoded::{Decoded, check_size, target};
use crate::exif::Orientation;
use crate::rejection::Rejection;

mod lossless;

/// The maximum size of an ICC profile and of EXIF metadata, which are not compressed.
const MAX_CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// The flags of a chunk `VP8X` that name other chunks. That of an ICC profile may be wrong for the
/// decoder.
const TRANSPARENCY: u8 = 0b1_0000;
const EXIF: u8 = 0b1000;
const XMP: u8 = 0b100;
const ANIMATION: u8 = 0b10;
/// The position of these flags in a file.
const FLAGS_AT: usize = 20;

/// Decodes a WebP picture, or the first frame of an animated one.
pub(super) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    let metadata = |name: &[u8; 4]| {
        let is_extended = file[12..].starts_with(b"VP8X");
        let chunk = Chunks(&file[12..]).find(|(other, _)| is_extended && *other == name);
        chunk.map(|(_, content)| content).filter(|content| content.len() <= MAX_CHUNK_BYTES)
    };
    let orientation = metadata(b"EXIF").map(Orientation::from_exif).unwrap_or_default();
    let icc_profile = metadata(b"ICCP").map(<[u8]>::to_vec);
    let file = &*with_right_flags(file);
    let mut decoder = WebPDecoder::new(Cursor::new(file))?;
    let size = decoder.dimensions();
    check_size(size)?;
    check_frames(file)?;
    check_streams(file, size)?;
    let target = target(size, orientation);
    let has_alpha = decoder.has_alpha();
    let mut pixels = vec![0; decoder.output_buffer_size().ok_or(Rejection::Damaged)?];
    decoder.read_image(&mut pixels)?;
    let mut blocks = Blocks::new(size, target, Channels::Rgb, has_alpha);
    let channels = if has_alpha { 4 } else { 3 };
    for row in pixels.chunks_exact(size.0 as usize * channels) {
        blocks.push(row);
    }
    Ok(Decoded { raster: blocks.finish(), target, orientation, icc_profile })
}

/// Returns the file with flags that name the chunks which the decoder needs and which are there.
/// Programs that remove metadata leave flags behind, and the decoder rejects such a file.
fn with_right_flags(file: &[u8]) -> Cow<'_, [u8]> {
    let mut chunks = Chunks(&file[12..]);
    let Some((b"VP8X", &[flags, ..])) = chunks.next() else { return Cow::Borrowed(file) };
    let find = |name: &[u8; 4]| Chunks(chunks.0).find(|(other, _)| *other == name).map(|(_, content)| content);
    let is_animation = flags & ANIMATION != 0 && find(b"ANMF").is_some();
    let is_transparent = match find(b"VP8L") {
        _ if is_animation => flags & TRANSPARENCY != 0,
        // After the first byte and the size, a bit says so.
        Some(stream) => stream.get(4).is_some_and(|byte| byte & 0b1_0000 != 0),
        None => flags & TRANSPARENCY != 0 && find(b"ALPH").is_some(),
    };
    let flag = |flag: u8, is_set: bool| if is_set { flag } else { 0 };
    let right = flags & !(TRANSPARENCY | EXIF | XMP | ANIMATION)
        | flag(TRANSPARENCY, is_transparent)
        | flag(ANIMATION, is_animation);
    let is_stale = |flag: u8, name: &[u8; 4]| flags & flag != 0 && find(name).is_none();
    if right == flags & !(EXIF | XMP) && !is_stale(EXIF, b"EXIF") && !is_stale(XMP, b"XMP ") {
        return Cow::Borrowed(file);
    }
    let mut file = file.to_vec();
    file[FLAGS_AT] = right;
    Cow::Owned(file)
}

/// Checks the sizes of the frames of lossy pictures. The decoder allocates a frame before it
/// compares its size with that of the picture, and a frame has up to 268 megapixels.
fn check_frames(file: &[u8]) -> Result<(), Rejection> {
    // Each frame follows the name of its chunk and the length, and begins with three bytes and this
    // start code.
    const START_CODE: [u8; 3] = [0x9d, 0x01, 0x2a];
    for (at, _) in file.windows(4).enumerate().filter(|(_, name)| name == b"VP8 ") {
        let Some(frame) = file.get(at + 11..at + 18).and_then(|frame| frame.strip_prefix(&START_CODE)) else {
            continue;
        };
        let side = |low: usize| u32::from(u16::from_le_bytes([frame[low], frame[low + 1]]) & 0x3fff);
        check_size((side(0), side(2)))?;
    }
    Ok(())
}

/// Checks the lossless streams that the decoder would decode: the picture or the transparency of a
/// still picture, or of the first frame of an animation.
fn check_streams(file: &[u8], size: (u32, u32)) -> Result<(), Rejection> {
    let mut chunks = Chunks(file.get(12..).unwrap_or_default());
    let is_animation = match chunks.next() {
        Some((b"VP8L", stream)) => return lossless::check(stream),
        Some((b"VP8X", features)) => features.first().is_some_and(|flags| flags & ANIMATION != 0),
        _ => return Ok(()),
    };
    let find = |name: &[u8; 4]| Chunks(chunks.0).find(|(other, _)| *other == name).map(|(_, content)| content);
    let (frame, size) = match find(b"ANMF") {
        Some(frame) if is_animation => {
            let length = |at: usize| {
                Some(u32::from_le_bytes([*frame.get(at)?, *frame.get(at + 1)?, *frame.get(at + 2)?, 0]) + 1)
            };
            let size = (length(6).ok_or(Rejection::Damaged)?, length(9).ok_or(Rejection::Damaged)?);
            (frame.get(16..).unwrap_or_default(), size)
        }
        // The decoder would take the transparency of a still picture from a frame.
        Some(_) => return Err(Rejection::Damaged),
        None => (chunks.0, size),
    };
    check_size(size)?;
    let find = |name: &[u8; 4]| Chunks(frame).find(|(other, _)| *other == name).map(|(_, content)| content);
    if let Some(stream) = find(b"VP8L") {
        lossless::check(stream)?;
    }
    find(b"ALPH").map_or(Ok(()), |transparency| lossless::check_alpha(transparency, size))
}

/// The names and contents of consecutive chunks. The last one may end early.
struct Chunks<'a>(&'a [u8]);

impl<'a> Iterator for Chunks<'a> {
    type Item = (&'a [u8; 4], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, rest) = self.0.split_first_chunk::<4>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        // Each chunk begins at an even position.
        self.0 = rest.get(length.next_multiple_of(2)..).unwrap_or_default();
        Some((name, &rest[..length.min(rest.len())]))
    }
}

impl From<DecodingError> for Rejection {
    fn from(error: DecodingError) -> Self {
        match error {
            DecodingError::UnsupportedFeature(_) => Self::UnsupportedVariant,
            _ => Self::Damaged,
        }
    }
}
