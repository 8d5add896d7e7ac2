//! Turns an uploaded picture into the two sizes that the app shows, and its blurhash. It knows nothing of AWS.
//!
//! [`process`] takes these steps, in this order:
//!
//! 1. The first bytes of the file say whether it is a JPEG, a PNG or a WebP picture. Its name says nothing.
//! 2. The header is read, and the picture is rejected if it is larger than [`MAX_PIXELS`] or [`MAX_SIDE`]. Nothing of
//!    the size of the picture has been allocated until then.
//! 3. The picture is decoded, already reduced where it is much larger than the large size: a JPEG at a half, a quarter
//!    or an eighth of its size, as libjpeg does it, and the others by averaging blocks of pixels. Transparency is drawn
//!    on white, 16 bits become 8, and of an animation only the first frame is decoded.
//! 4. A Lanczos filter reduces it to a width of [`LARGE_WIDTH`]. A smaller picture keeps its size.
//! 5. Its colors become sRGB, by its ICC profile. A picture without a profile is taken to be sRGB.
//! 6. Its pixels are turned and mirrored as its EXIF orientation says.
//! 7. The small size, at most [`SMALL_WIDTH`] wide, is made from the large one, and the blurhash from the small one.
//! 8. Both are encoded as baseline JPEG. Only pixels have passed the steps before, so no metadata of the upload, such
//!    as the position where a photo was taken, can be in them.
//!
//! The filters work on the gamma-encoded values, as those of Pillow, sharp and the browsers do. In linear
//! light, fine dark lines on a bright ground get too thin for the eye, and each value takes 16 bits.
//!
//! All of this runs on the thread of the caller, except that the JPEG decoder starts one thread for each channel of a
//! picture while it decodes. On one core they take turns, and more cores make it no more than a little faster.

#![forbid(unsafe_code)]

mod bitmap;
mod blocks;
mod color;
mod decode;
mod decoded;
mod encode;
mod exif;
mod limits;
mod rejection;
mod resize;

pub use limits::{LARGE_WIDTH, MAX_PIXELS, MAX_SIDE, QUALITY, SMALL_WIDTH};
pub use rejection::Rejection;

/// The two sizes of a picture, and what the app needs to know before it has loaded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// The width of `large` in pixels.
    pub width: u32,
    /// The height of `large` in pixels.
    pub height: u32,
    /// A few dozen characters from which a client draws a blurred preview (<https://blurha.sh>).
    pub blurhash: String,
    /// A JPEG that is at most [`LARGE_WIDTH`] pixels wide.
    pub large: Vec<u8>,
    /// A JPEG that is at most [`SMALL_WIDTH`] pixels wide.
    pub small: Vec<u8>,
}

/// Makes both sizes of an uploaded file. The same bytes always give the same result.
pub fn process(upload: &[u8]) -> Result<Processed, Rejection> {
    let decoded = decode::decode(upload)?;
    let large = color::to_srgb(resize::to_target(decoded.raster, decoded.target), decoded.icc_profile.as_deref())
        .oriented(decoded.orientation);
    let small = resize::to_width(&large, SMALL_WIDTH);
    Ok(Processed {
        width: large.width,
        height: large.height,
        blurhash: encode::blurhash(&small),
        large: encode::jpeg(&large),
        small: encode::jpeg(&small),
    })
}
