use std::io::Cursor;

use png::{ColorType, Decoder, DecodingError, InterlaceInfo, Limits, Reader, Transformations};

use crate::bitmap::Channels;
use crate::blocks::Blocks;
use crate::decoded::{Decoded, check_size, is_nearly_all, target};
use crate::exif::Orientation;
use crate::rejection::Rejection;

/// The memory that the decoder may take for rows and for chunks such as the ICC profile, which is
/// compressed. 16 MB are 30 rows of the longest kind, and ICC profiles have up to 3 MB.
const MAX_BUFFER_BYTES: usize = 16 * 1024 * 1024;

/// Decodes a PNG. The first picture of an animated one is what a program shows that cannot animate.
///
/// Nothing after the last pixel is read, so it may be damaged or missing. Checksums are ignored:
/// browsers and Pillow skip some of them, too, and not the same ones.
pub(super) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: MAX_BUFFER_BYTES });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.ignore_checksums(true);
    let size = decoder.read_header_info()?.size();
    check_size(size)?;
    let mut reader = decoder.read_info()?;
    let info = reader.info();
    let orientation = info.exif_metadata.as_deref().map(Orientation::from_exif).unwrap_or_default();
    let icc_profile = info.icc_profile.as_deref().map(<[u8]>::to_vec);
    let is_interlaced = info.interlaced;
    let (channels, has_alpha) = match reader.output_color_type().0 {
        ColorType::Grayscale => (Channels::Gray, false),
        ColorType::GrayscaleAlpha => (Channels::Gray, true),
        ColorType::Rgb | ColorType::Indexed => (Channels::Rgb, false),
        ColorType::Rgba => (Channels::Rgb, true),
    };
    let target = target(size, orientation);
    let blocks = Blocks::new(size, target, channels, has_alpha);
    let raster =
        if is_interlaced { interlaced(&mut reader, size, blocks) } else { by_rows(&mut reader, size, blocks) }?;
    Ok(Decoded { raster: raster.finish(), target, orientation, icc_profile })
}

/// Decodes the rows. A few at the end may be missing, and are white.
fn by_rows(reader: &mut Reader<Cursor<&[u8]>>, size: (u32, u32), mut blocks: Blocks) -> Result<Blocks, Rejection> {
    let height = size.1 as usize;
    for decoded in 0..height {
        match reader.next_row() {
            Ok(Some(row)) => blocks.push(row.data()),
            _ if is_nearly_all(height - decoded, height) => {
                let row = vec![255; reader.output_line_size(size.0).ok_or(Rejection::Damaged)?];
                (decoded..height).for_each(|_| blocks.push(&row));
                break;
            }
            _ => return Err(Rejection::Damaged),
        }
    }
    Ok(blocks)
}

/// Decodes the whole picture first, because its first row is complete only with the last of its
/// seven passes.
fn interlaced(reader: &mut Reader<Cursor<&[u8]>>, size: (u32, u32), mut blocks: Blocks) -> Result<Blocks, Rejection> {
    let mut pixels = vec![0; reader.output_buffer_size().ok_or(Rejection::Damaged)?];
    let row_bytes = reader.output_line_size(size.0).ok_or(Rejection::Damaged)?;
    let (width, height) = (size.0 as usize, size.1 as usize);
    let pixel_bytes = row_bytes / width;
    let mut missing = width * height;
    while missing > 0 {
        match reader.next_interlaced_row() {
            Ok(Some(row)) => {
                let InterlaceInfo::Adam7(pass) = row.interlace() else { return Err(Rejection::Damaged) };
                let bits = u8::try_from(pixel_bytes * 8).expect("a pixel has at most four bytes");
                png::expand_interlaced_row(&mut pixels, row_bytes, row.data(), pass, bits);
                missing -= row.data().len() / pixel_bytes;
            }
            _ if is_nearly_all(missing, width * height) => break,
            _ => return Err(Rejection::Damaged),
        }
    }
    // The last pass has every second row. Those that are missing are like the rows above them.
    let last = height / 2;
    for row in (last - missing / width..last).map(|index| index * 2 + 1) {
        pixels.copy_within((row - 1) * row_bytes..row * row_bytes, row * row_bytes);
    }
    for row in pixels.chunks_exact(row_bytes) {
        blocks.push(row);
    }
    Ok(blocks)
}

impl From<DecodingError> for Rejection {
    /// A file that exceeds the decoder's limits has a chunk that no sound file has.
    fn from(_: DecodingError) -> Self {
        Self::Damaged
    }
}
