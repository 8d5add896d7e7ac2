//! The meaning of the components of a JPEG.
//!
//! The standard says nothing about colors, so programs guess from the other segments. The rules are
//! those of libjpeg (jdapimin.c), which browsers and Pillow follow too.

use super::frame::Frame;
use crate::bitmap::Channels;

/// The meaning of the components.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Colors {
    Gray,
    Rgb,
    /// Brightness, and its differences to blue and red.
    YCbCr,
    /// Cyan, magenta, yellow and black, where 0 is full ink. This is the convention of Adobe's
    /// programs, and all programs take it for every file, whether it names Adobe or not.
    Cmyk,
    /// The same, with the first three converted like red, green and blue.
    Ycck,
}

impl Colors {
    /// Returns what the components of a frame mean. `adobe` is the transform that the segment of
    /// Adobe's programs names.
    pub(super) fn new(frame: &Frame, is_jfif: bool, adobe: Option<u8>) -> Self {
        match (frame.components.len(), adobe) {
            (1, _) => Self::Gray,
            (4, None | Some(0)) => Self::Cmyk,
            (4, Some(_)) => Self::Ycck,
            // JFIF has no other colors.
            _ if is_jfif => Self::YCbCr,
            (_, Some(0)) => Self::Rgb,
            (_, None) if frame.components.iter().map(|component| component.id).eq(*b"RGB") => Self::Rgb,
            _ => Self::YCbCr,
        }
    }

    pub(super) fn channels(self) -> Channels {
        match self {
            Self::Gray => Channels::Gray,
            Self::Rgb | Self::YCbCr => Channels::Rgb,
            Self::Cmyk | Self::Ycck => Channels::Cmyk,
        }
    }

    /// Writes a row of pixels, of which each component has a row of values.
    pub(super) fn write(self, rows: &[&[u8]], pixels: &mut [u8]) {
        match (self, rows) {
            (Self::Rgb, &[red, green, blue]) => {
                for (pixel, ((&red, &green), &blue)) in pixels.chunks_exact_mut(3).zip(red.iter().zip(green).zip(blue))
                {
                    pixel.copy_from_slice(&[red, green, blue]);
                }
            }
            (Self::YCbCr, &[y, cb, cr]) => {
                for (pixel, ((&y, &cb), &cr)) in pixels.chunks_exact_mut(3).zip(y.iter().zip(cb).zip(cr)) {
                    pixel.copy_from_slice(&rgb(y, cb, cr));
                }
            }
            (Self::Cmyk, &[cyan, magenta, yellow, black]) => {
                let inks = cyan.iter().zip(magenta).zip(yellow.iter().zip(black));
                for (pixel, ((cyan, magenta), (yellow, black))) in pixels.chunks_exact_mut(4).zip(inks) {
                    pixel.copy_from_slice(&[255 - cyan, 255 - magenta, 255 - yellow, 255 - black]);
                }
            }
            (Self::Ycck, &[y, cb, cr, black]) => {
                let inks = y.iter().zip(cb).zip(cr.iter().zip(black));
                for (pixel, ((&y, &cb), (&cr, &black))) in pixels.chunks_exact_mut(4).zip(inks) {
                    // The red of a color is what its cyan leaves, and the file has that inverted.
                    let [cyan, magenta, yellow] = rgb(y, cb, cr);
                    pixel.copy_from_slice(&[cyan, magenta, yellow, 255 - black]);
                }
            }
            _ => {
                for (pixel, &gray) in pixels.iter_mut().zip(rows[0]) {
                    *pixel = gray;
                }
            }
        }
    }
}

/// Converts a pixel by the formulas of [JFIF](https://www.w3.org/Graphics/JPEG/jfif3.pdf), in
/// numbers with 16 bits after the point.
#[inline]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
fn rgb(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    const fn factor(value: f64) -> i32 {
        (value * 65_536.0 + 0.5) as i32
    }
    const HALF: i32 = 1 << 15;
    let (y, cb, cr) = (i32::from(y) << 16 | HALF, i32::from(cb) - 128, i32::from(cr) - 128);
    let red = y + factor(1.402) * cr;
    let green = y - factor(0.344_14) * cb - factor(0.714_14) * cr;
    let blue = y + factor(1.772) * cb;
    [red, green, blue].map(|value| (value >> 16).clamp(0, 255) as u8)
}
