//! The planes of the components as rows of pixels of one size.
//!
//! The values of a component with half of the pixels are interpolated as libjpeg does it
//! (jdsample.c): a pixel takes three quarters of the nearer value and one quarter of the other one.

use super::frame::{Component, Frame};

/// The interpolation of the values of a component to those of a row.
enum Enlargement {
    None,
    DoubleWidth,
    DoubleHeight,
    Double,
    /// Each pixel takes the nearest value.
    Nearest {
        /// The sampling factors of the component and the largest ones.
        x: (usize, usize),
        y: (usize, usize),
    },
}

/// Reads the rows of a component.
pub(super) struct Rows<'a> {
    component: &'a Component,
    enlargement: Enlargement,
    /// A row that is to be doubled in width, with its first and its last value once more.
    values: Vec<u16>,
    row: Vec<u8>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(component: &'a Component, frame: &Frame) -> Self {
        let x = (component.sampling.0, frame.sampling.0);
        let y = (component.sampling.1, frame.sampling.1);
        let is_same = |(from, to): (usize, usize)| from == to;
        let is_half = |(from, to): (usize, usize)| from * 2 == to;
        // libjpeg does not interpolate where there are too few values.
        let is_wide = component.size.0 > 2;
        let enlargement = if is_same(x) && is_same(y) {
            Enlargement::None
        } else if is_half(x) && is_same(y) && is_wide {
            Enlargement::DoubleWidth
        } else if is_half(x) && is_half(y) && is_wide {
            Enlargement::Double
        } else if is_same(x) && is_half(y) {
            Enlargement::DoubleHeight
        } else {
            Enlargement::Nearest { x, y }
        };
        Self { component, enlargement, values: Vec::new(), row: Vec::new() }
    }

    /// Reads a row of the picture. It has `width` pixels or more.
    pub(super) fn read(&mut self, y: usize, width: usize) {
        // The row of values that is nearest, and the next nearest one.
        let near = y / 2;
        let (far, half) = if y.is_multiple_of(2) { (near.saturating_sub(1), 1) } else { (near + 1, 2) };
        let component = self.component;
        let values = |y| component.row(y).iter().map(|&value| u16::from(value));
        self.row.clear();
        match self.enlargement {
            Enlargement::None => self.row.extend_from_slice(component.row(y)),
            Enlargement::DoubleHeight => {
                let mixed = values(near).zip(values(far)).map(|(near, far)| (near * 3 + far + half) >> 2);
                self.row.extend(mixed.map(byte));
            }
            Enlargement::DoubleWidth => self.double_width(values(y), [1, 2], 2),
            Enlargement::Double => {
                let sums = values(near).zip(values(far)).map(|(near, far)| near * 3 + far);
                self.double_width(sums, [8, 7], 4);
            }
            Enlargement::Nearest { x, y: (from, to) } => {
                let values = component.row(y * from / to);
                self.row.extend((0..width).map(|at| values[(at * x.0 / x.1).min(values.len() - 1)]));
            }
        }
    }

    /// Returns the row that was read last.
    pub(super) fn row(&self) -> &[u8] {
        &self.row
    }

    /// Fills the row with twice as many values. The halves are rounded in turns, so that they do not
    /// make it brighter.
    fn double_width(&mut self, values: impl Iterator<Item = u16>, halves: [u16; 2], shift: u32) {
        self.values.clear();
        self.values.push(0);
        self.values.extend(values);
        self.values[0] = self.values[1];
        self.values.push(self.values[self.values.len() - 1]);
        self.row.resize((self.values.len() - 2) * 2, 0);
        for (pair, near) in self.row.chunks_exact_mut(2).zip(self.values.windows(3)) {
            pair[0] = byte((near[1] * 3 + near[0] + halves[0]) >> shift);
            pair[1] = byte((near[1] * 3 + near[2] + halves[1]) >> shift);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "an average of bytes is a byte")]
fn byte(average: u16) -> u8 {
    average as u8
}
