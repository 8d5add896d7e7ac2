//! Rows of decoded pixels, drawn on white and averaged in square blocks while they arrive, so that
//! a large picture is never in memory as a whole.

use crate::bitmap::{Channels, Raster};

/// Collects the rows of a picture. Each pixel of the result is the average of a block of `side` ×
/// `side` pixels.
pub(crate) struct Blocks {
    width: usize,
    side: usize,
    channels: Channels,
    /// The pixels of a row have an opacity after their other channels.
    has_alpha: bool,
    /// The row that has arrived last, on white.
    opaque: Vec<u8>,
    /// The sums of the blocks that have begun, one for each channel of each block.
    sums: Vec<u32>,
    rows_summed: usize,
    rows: usize,
    pixels: Vec<u8>,
}

impl Blocks {
    /// Returns a collector of a picture of this size. `target` is the size to which a filter will
    /// reduce the result: blocks leave at least twice as many pixels in each direction, so that the
    /// filter alone decides on the sharpness.
    pub(crate) fn new((width, height): (u32, u32), target: (u32, u32), channels: Channels, has_alpha: bool) -> Self {
        let side = (width / target.0).min(height / target.1) / 2;
        let (width, height, side) = (width as usize, height as usize, side.max(1) as usize);
        let values = width.div_ceil(side) * channels.count();
        Self {
            width,
            side,
            channels,
            has_alpha,
            opaque: Vec::new(),
            sums: if side == 1 { Vec::new() } else { vec![0; values] },
            rows_summed: 0,
            rows: 0,
            pixels: Vec::with_capacity(values * height.div_ceil(side)),
        }
    }

    /// Adds the next row.
    pub(crate) fn push(&mut self, row: &[u8]) {
        self.rows += 1;
        let row = if self.has_alpha {
            draw_on_white(row, self.channels, &mut self.opaque);
            &self.opaque
        } else {
            row
        };
        if self.side == 1 {
            self.pixels.extend_from_slice(row);
            return;
        }
        let channels = self.channels.count();
        for (block, sums) in row.chunks(self.side * channels).zip(self.sums.chunks_exact_mut(channels)) {
            for pixel in block.chunks_exact(channels) {
                for (sum, &value) in sums.iter_mut().zip(pixel) {
                    *sum += u32::from(value);
                }
            }
        }
        self.rows_summed += 1;
        if self.rows_summed == self.side {
            self.end_blocks();
        }
    }

    /// Returns what has arrived. The last column and the last row of blocks are smaller where the
    /// side does not divide the size.
    pub(crate) fn finish(mut self) -> Raster {
        if self.rows_summed > 0 {
            self.end_blocks();
        }
        let blocks =
            |pixels: usize| u32::try_from(pixels.div_ceil(self.side)).expect("a side has at most 65,500 pixels");
        let (width, height) = (blocks(self.width), blocks(self.rows));
        #[expect(clippy::cast_precision_loss, reason = "they are small")]
        let part = |pixels: usize| pixels as f64 / self.side as f64;
        let extent = (part(self.width), part(self.rows));
        Raster { width, height, extent, channels: self.channels, pixels: self.pixels }
    }

    /// Appends the averages of a row of blocks.
    fn end_blocks(&mut self) {
        let channels = self.channels.count();
        for (index, sums) in self.sums.chunks_exact_mut(channels).enumerate() {
            let columns = (self.width - index * self.side).min(self.side);
            let count = u32::try_from(columns * self.rows_summed).expect("a block has few pixels");
            for sum in sums {
                let average = (*sum + count / 2) / count;
                self.pixels.push(u8::try_from(average).expect("the average of bytes is a byte"));
                *sum = 0;
            }
        }
        self.rows_summed = 0;
    }
}

/// Writes a row with opacity as it looks on white.
fn draw_on_white(row: &[u8], channels: Channels, opaque: &mut Vec<u8>) {
    let count = channels.count();
    opaque.clear();
    opaque.reserve(row.len() / (count + 1) * count);
    for pixel in row.chunks_exact(count + 1) {
        let alpha = u32::from(pixel[count]);
        for &value in &pixel[..count] {
            let drawn = (u32::from(value) * alpha + 255 * (255 - alpha) + 127) / 255;
            opaque.push(u8::try_from(drawn).expect("it is between the value and white"));
        }
    }
}
