//! Pixels in memory.

use crate::exif::Orientation;

/// The meaning of the bytes of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels {
    /// One byte of brightness.
    Gray,
    /// Red, green and blue.
    Rgb,
    /// Cyan, magenta, yellow and black, where 255 is full ink.
    Cmyk,
}

impl Channels {
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::Rgb => 3,
            Self::Cmyk => 4,
        }
    }
}

/// A decoded picture, perhaps reduced, before its colors and its orientation are applied.
pub(crate) struct Raster {
    /// The width in pixels.
    pub(crate) width: u32,
    /// The height in pixels.
    pub(crate) height: u32,
    /// The width and the height that the picture itself takes of these pixels. A reduced picture
    /// may end within its last column and its last row.
    pub(crate) extent: (f64, f64),
    pub(crate) channels: Channels,
    pub(crate) pixels: Vec<u8>,
}

/// A picture in sRGB, three bytes for each pixel.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<u8>,
}

impl Picture {
    /// Returns the picture as it is to be shown.
    pub(crate) fn oriented(self, orientation: Orientation) -> Self {
        if orientation == Orientation::default() {
            return self;
        }
        let (width, height) = orientation.shown((self.width, self.height));
        let (stored_width, stored_height) = (self.width as usize, self.height as usize);
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for y in 0..height as usize {
            for x in 0..width as usize {
                let (column, row) = if orientation.transposes { (y, x) } else { (x, y) };
                let column = if orientation.mirrors_columns { stored_width - 1 - column } else { column };
                let row = if orientation.mirrors_rows { stored_height - 1 - row } else { row };
                let start = (row * stored_width + column) * 3;
                pixels.extend_from_slice(&self.pixels[start..start + 3]);
            }
        }
        Self { width, height, pixels }
    }
}
