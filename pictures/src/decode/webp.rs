use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use crate::bitmap::Channels;
use crate::blocks::Blocks;
use crate::decoded::{Decoded, check_size, target};
use crate::exif::Orientation;
use crate::rejection::Rejection;

/// The maximum size of an ICC profile and of EXIF metadata, which are not compressed.
const MAX_CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// Decodes a WebP picture, or the first frame of an animated one.
pub(super) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    let mut decoder = WebPDecoder::new(Cursor::new(file))?;
    decoder.set_memory_limit(MAX_CHUNK_BYTES);
    let size = decoder.dimensions();
    check_size(size)?;
    check_frames(file)?;
    let orientation = decoder.exif_metadata()?.as_deref().map(Orientation::of).unwrap_or_default();
    let icc_profile = decoder.icc_profile()?;
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

/// Checks the sizes of the frames of lossy pictures. The decoder allocates a frame before it compares its size with
/// that of the picture, and a frame has up to 268 megapixels.
fn check_frames(file: &[u8]) -> Result<(), Rejection> {
    // Each frame follows the name of its chunk and the length, and begins with three bytes and this start code.
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

impl From<DecodingError> for Rejection {
    fn from(error: DecodingError) -> Self {
        match error {
            DecodingError::UnsupportedFeature(_) => Self::UnsupportedVariant,
            _ => Self::Damaged,
        }
    }
}
