//! Turns an uploaded picture into the three sizes that the app shows, its blurhash, and a vector by
//! which pictures that look alike are found. It knows nothing of AWS.
//!
//! [`process`] takes these steps, in this order:
//!
//! 1. The first bytes of the file say whether it is a JPEG, a PNG or a WebP picture. Its name says
//!    nothing.
//! 2. The header is read, and the picture is rejected if it is larger than [`MAX_PIXELS`] or
//!    [`MAX_SIDE`]. Nothing of the size of the picture has been allocated until then.
//! 3. The picture is decoded, already reduced where it is much larger than the large size: a JPEG
//!    at a half, a quarter or an eighth of its size, as libjpeg does it, and the others by
//!    averaging blocks of pixels. Transparency is drawn on white, 16 bits become 8, and of an
//!    animation only the first frame is decoded.
//! 4. A Lanczos filter reduces it to a width of [`LARGE_WIDTH`]. A smaller picture keeps its size.
//! 5. Its colors become sRGB, by its ICC profile. A picture without a profile is taken to be sRGB.
//! 6. Its pixels are turned and mirrored as its EXIF orientation says.
//! 7. The medium size, at most [`MEDIUM_WIDTH`] wide, and the small size, at most [`SMALL_WIDTH`]
//!    wide, are made from the large one, and the blurhash and the vector from the small one. A size
//!    that would not be wider than the next smaller one is left out.
//! 8. All are encoded as baseline JPEG. Only pixels have passed the steps before, so no metadata
//!    of the upload, such as the position where a photo was taken, can be in them.
//!
//! The filters work on the gamma-encoded values, as those of Pillow, sharp and the browsers do. In
//! linear light, fine dark lines on a bright ground get too thin for the eye, and each value takes
//! 16 bits.
//!
//! All of this runs on the thread of the caller.

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
mod vector;

pub use limits::{LARGE_WIDTH, MAX_PIXELS, MAX_SIDE, MEDIUM_WIDTH, QUALITY, SMALL_WIDTH};
pub use rejection::Rejection;
pub use vector::DIMENSIONS;

use bitmap::Picture;

/// The sizes of a picture, and what the app needs to know before it has loaded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processed {
    /// The width of the largest JPEG in pixels.
    pub width: u32,
    /// The height of the largest JPEG in pixels.
    pub height: u32,
    /// A few dozen characters from which a client draws a blurred preview (<https://blurha.sh>).
    pub blurhash: String,
    /// The vector of the picture. The smaller the Euclidean distance of two vectors, the more their
    /// pictures look alike.
    pub vector: [i8; DIMENSIONS],
    /// A JPEG that is at most [`SMALL_WIDTH`] pixels wide.
    pub small: Vec<u8>,
    /// A JPEG that is at most [`MEDIUM_WIDTH`] pixels wide, if the picture is wider than
    /// [`SMALL_WIDTH`].
    pub medium: Option<Vec<u8>>,
    /// A JPEG that is at most [`LARGE_WIDTH`] pixels wide, if the picture is wider than
    /// [`MEDIUM_WIDTH`].
    pub large: Option<Vec<u8>>,
}

impl Processed {
    /// Returns the JPEG of the largest size that there is.
    #[must_use]
    pub fn largest(&self) -> &[u8] {
        self.large.as_ref().or(self.medium.as_ref()).unwrap_or(&self.small)
    }
}

/// Makes all sizes of an uploaded file. The same bytes always give the same result.
pub fn process(upload: &[u8]) -> Result<Processed, Rejection> {
    let large = large(upload)?;
    let small = resize::to_width(&large, SMALL_WIDTH);
    Ok(Processed {
        width: large.width,
        height: large.height,
        blurhash: encode::blurhash(&small),
        vector: vector::from_picture(&small),
        small: encode::jpeg(&small),
        medium: (large.width > SMALL_WIDTH).then(|| encode::jpeg(&resize::to_width(&large, MEDIUM_WIDTH))),
        large: (large.width > MEDIUM_WIDTH).then(|| encode::jpeg(&large)),
    })
}

/// Returns the vector of a file. For the small size of a picture, it is that of [`Processed`],
/// except for what the JPEG has lost.
pub fn vector(file: &[u8]) -> Result<[i8; DIMENSIONS], Rejection> {
    Ok(vector::from_picture(&resize::to_width(&large(file)?, SMALL_WIDTH)))
}

/// Returns the pixels of the large size of a file.
fn large(file: &[u8]) -> Result<Picture, Rejection> {
    let decoded = decode::decode(file)?;
    let raster = resize::to_target(decoded.raster, decoded.target);
    Ok(color::to_srgb(raster, decoded.icc_profile.as_deref()).oriented(decoded.orientation))
}
