use std::io::Cursor;

use png::{ColorType, Decoder, DecodingError, Limits, Reader, Transformations};

use crate::bitmap::Channels;
use crate::blocks::Blocks;
use crate::decoded::{Decoded, check_size, target};
use crate::exif::Orientation;
use crate::rejection::Rejection;

/// The memory that the decoder may take for rows and for chunks such as the ICC profile, which is
/// compressed. 16 MB are 30 rows of the longest kind, and ICC profiles have up to 3 MB.
const MAX_BUFFER_BYTES: usize = 16 * 1024 * 1024;

/// Decodes a PNG. The first picture of an animated one is what a program shows that cannot animate.
pub(super) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: MAX_BUFFER_BYTES });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
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
    let raster = if is_interlaced { interlaced(&mut reader, blocks) } else { by_rows(&mut reader, blocks) }?.finish();
    Ok(Decoded { raster, target, orientation, icc_profile })
}

fn by_rows(reader: &mut Reader<Cursor<&[u8]>>, mut blocks: Blocks) -> Result<Blocks, DecodingError> {
    while let Some(row) = reader.next_row()? {
        blocks.push(row.data());
    }
    Ok(blocks)
}

/// Decodes the whole picture first, because its first row is complete only with the last of its
/// seven passes.
fn interlaced(reader: &mut Reader<Cursor<&[u8]>>, mut blocks: Blocks) -> Result<Blocks, DecodingError> {
    let mut pixels = vec![0; reader.output_buffer_size().ok_or(DecodingError::LimitsExceeded)?];
    let frame = reader.next_frame(&mut pixels)?;
    for row in pixels.chunks_exact(frame.line_size) {
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
