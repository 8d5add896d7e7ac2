//! The result of a decoder, and the checks that all decoders share.

use crate::bitmap::Raster;
use crate::exif::Orientation;
use crate::limits::{LARGE_WIDTH, MAX_PIXELS, MAX_SIDE};
use crate::rejection::Rejection;
use crate::resize;

/// The maximum share of a picture that may be missing, in percent. What is missing is gray or white.
const MAX_MISSING_PERCENT: usize = 5;

/// A decoded picture, and what its file says about showing it.
pub(crate) struct Decoded {
    pub(crate) raster: Raster,
    /// The size, as stored, that the raster is to be reduced to.
    pub(crate) target: (u32, u32),
    pub(crate) orientation: Orientation,
    pub(crate) icc_profile: Option<Vec<u8>>,
}

/// Returns whether so few parts of a picture are missing that it is shown.
pub(crate) fn is_nearly_all(missing: usize, parts: usize) -> bool {
    missing * 100 <= parts * MAX_MISSING_PERCENT
}

/// Rejects a picture that is too large, or has no pixels.
pub(crate) fn check_size((width, height): (u32, u32)) -> Result<(), Rejection> {
    if width == 0 || height == 0 {
        return Err(Rejection::Damaged);
    }
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(Rejection::SideTooLong { width, height });
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Rejection::TooManyPixels { width, height });
    }
    Ok(())
}

/// Returns the size to which a picture of this stored size is reduced, as stored.
pub(crate) fn target(size: (u32, u32), orientation: Orientation) -> (u32, u32) {
    orientation.shown(resize::fitting(orientation.shown(size), LARGE_WIDTH))
}
