use std::error::Error;
use std::fmt;

use crate::limits::{MAX_PIXELS, MAX_SIDE};

/// The reason why a file cannot be made into a picture. Its text is for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// The file begins like none of the formats.
    UnknownFormat,
    /// The file is in the format of iPhones.
    Heic,
    /// The file is in a variant of its format that the decoders do not know, such as a JPEG with
    /// arithmetic coding.
    UnsupportedVariant,
    /// The file violates its format, or ends too early.
    Damaged,
    /// The picture has more than [`MAX_PIXELS`] pixels.
    TooManyPixels {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
    /// One side is longer than [`MAX_SIDE`].
    SideTooLong {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat => {
                f.write_str("The file is not a JPEG, PNG or WebP picture. Upload one of these as a new photo.")
            }
            Self::Heic => f.write_str(
                "The file is a HEIC picture, which this app cannot read. Convert it to JPEG, and upload it as a new \
                 photo.",
            ),
            Self::UnsupportedVariant => f.write_str(
                "The picture is in a variant of its format that few programs can read. Save it as an ordinary JPEG, \
                 PNG or WebP picture, and upload it as a new photo.",
            ),
            Self::Damaged => f.write_str(
                "The picture is damaged or incomplete. Save it again with the program that made it, and upload it as a \
                 new photo.",
            ),
            Self::TooManyPixels { width, height } => write!(
                f,
                "The picture has {width} × {height} pixels, which is more than {} million. Make it smaller, and upload \
                 it as a new photo.",
                MAX_PIXELS / 1_000_000
            ),
            Self::SideTooLong { width, height } => write!(
                f,
                "The picture has {width} × {height} pixels, and each side may have at most {MAX_SIDE}. Make it smaller, \
                 and upload it as a new photo."
            ),
        }
    }
}

impl Error for Rejection {}
