//! Decoding a file within the limits.

mod jpeg;
mod png;
mod webp;

use crate::bitmap::Raster;
use crate::exif::Orientation;
use crate::{LARGE_WIDTH, MAX_PIXELS, MAX_SIDE, Rejection, resize};

/// The brands of HEIC pictures and sequences in ISO/IEC 23008-12.
const HEIC_BRANDS: [&[u8]; 10] =
    [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"];

/// A decoded picture, and what its file says about showing it.
pub(crate) struct Decoded {
    pub(crate) raster: Raster,
    /// The size, as stored, that the raster is to be reduced to.
    pub(crate) target: (u32, u32),
    pub(crate) orientation: Orientation,
    pub(crate) icc_profile: Option<Vec<u8>>,
}

/// Decodes a file by its first bytes.
pub(crate) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    match file {
        [0xff, 0xd8, 0xff, ..] => jpeg::decode(file),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png::decode(file),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp::decode(file),
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..]
            if HEIC_BRANDS.iter().any(|known| brand.starts_with(known)) =>
        {
            Err(Rejection::Heic)
        }
        _ => Err(Rejection::UnknownFormat),
    }
}

/// Rejects a picture that is too large.
fn check_size((width, height): (u32, u32)) -> Result<(), Rejection> {
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(Rejection::SideTooLong { width, height });
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Rejection::TooManyPixels { width, height });
    }
    Ok(())
}

/// Returns the size to which a picture of this stored size is reduced, as stored.
fn target(size: (u32, u32), orientation: Orientation) -> (u32, u32) {
    orientation.shown(resize::fitting(orientation.shown(size), LARGE_WIDTH))
}
