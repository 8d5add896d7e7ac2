//! The frame of a JPEG: its size and its components.

use super::idct::{self, Block};
use crate::rejection::Rejection;

/// The maximum number of blocks that a unit of several components has, by the standard.
const MAX_BLOCKS_OF_UNIT: usize = 10;

/// A frame, and what has been decoded of it.
pub(super) struct Frame {
    width: u16,
    height: u16,
    pub(super) is_progressive: bool,
    /// The largest sampling factors of a component.
    pub(super) sampling: (usize, usize),
    pub(super) components: Vec<Component>,
}

/// One of the colors of a frame.
pub(super) struct Component {
    pub(super) id: u8,
    /// The horizontal and the vertical sampling factor.
    pub(super) sampling: (usize, usize),
    /// The number of its table of quantization.
    pub(super) table: usize,
    /// The table itself, from its first scan on.
    pub(super) steps: Option<[u16; 64]>,
    /// The number of blocks in each direction that its pixels take.
    pub(super) blocks: (usize, usize),
    /// The number of blocks in each direction with those that fill the last units.
    pub(super) padded: (usize, usize),
    /// The number of pixels for a side of a block in the plane.
    pub(super) side: usize,
    /// The number of pixels in each direction, without those of the blocks that go beyond them.
    pub(super) size: (usize, usize),
    /// The decoded pixels of all padded blocks. They are gray where nothing was decoded.
    pub(super) plane: Vec<u8>,
    /// The coefficients of all padded blocks, between the scans of a progressive frame.
    pub(super) coefficients: Vec<Block>,
    /// For each coefficient, the number of its bits that are still to come.
    pub(super) missing_bits: [u8; 64],
}

impl Frame {
    /// Parses the header of a frame with Huffman codes.
    pub(super) fn parse(header: &[u8], is_progressive: bool) -> Result<Self, Rejection> {
        let (&[precision, height_high, height_low, width_high, width_low, count], rest) =
            header.split_first_chunk().ok_or(Rejection::Damaged)?;
        if precision != 8 || ![1, 3, 4].contains(&count) {
            return Err(Rejection::UnsupportedVariant);
        }
        let [height, width] = [[height_high, height_low], [width_high, width_low]].map(u16::from_be_bytes);
        let specifications = rest.get(..usize::from(count) * 3).ok_or(Rejection::Damaged)?;
        let mut components = Vec::new();
        for specification in specifications.chunks_exact(3) {
            let sampling = (usize::from(specification[1] >> 4), usize::from(specification[1] & 15));
            if !(1..=4).contains(&sampling.0) || !(1..=4).contains(&sampling.1) || specification[2] > 3 {
                return Err(Rejection::Damaged);
            }
            components.push(Component::new(specification[0], sampling, usize::from(specification[2])));
        }
        let max = |side: fn(&Component) -> usize| components.iter().map(side).max().unwrap_or(1);
        let sampling = (max(|component| component.sampling.0), max(|component| component.sampling.1));
        Ok(Self { width, height, is_progressive, sampling, components })
    }

    /// Returns the size of the picture.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.width.into(), self.height.into())
    }

    /// Sets the sizes of the components for a picture that is reduced to `scale` eighths.
    pub(super) fn set_scale(&mut self, scale: usize) {
        let units = self.units();
        let max = self.sampling;
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        for component in &mut self.components {
            let (x, y) = component.sampling;
            component.side = scale;
            component.blocks = ((width * x).div_ceil(max.0 * 8), (height * y).div_ceil(max.1 * 8));
            component.padded = (units.0 * x, units.1 * y);
            component.size = ((width * x * scale).div_ceil(max.0 * 8), (height * y * scale).div_ceil(max.1 * 8));
        }
    }

    /// Returns the number of units in each direction of a scan of several components.
    pub(super) fn units(&self) -> (usize, usize) {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        (width.div_ceil(self.sampling.0 * 8), height.div_ceil(self.sampling.1 * 8))
    }

    /// Returns the indexes of the components with these ids.
    pub(super) fn find(&self, ids: impl Iterator<Item = u8>) -> Result<Vec<usize>, Rejection> {
        let mut found = Vec::new();
        for id in ids {
            // Some programs give all of them the same id.
            let index = (0..self.components.len())
                .find(|index| self.components[*index].id == id && !found.contains(index))
                .ok_or(Rejection::Damaged)?;
            found.push(index);
        }
        let blocks: usize = found.iter().map(|&index| self.components[index].blocks_of_unit()).sum();
        if found.is_empty() || found.len() > 1 && blocks > MAX_BLOCKS_OF_UNIT {
            return Err(Rejection::Damaged);
        }
        Ok(found)
    }
}

impl Component {
    fn new(id: u8, sampling: (usize, usize), table: usize) -> Self {
        Self {
            id,
            sampling,
            table,
            steps: None,
            blocks: (0, 0),
            padded: (0, 0),
            side: 8,
            size: (0, 0),
            plane: Vec::new(),
            coefficients: Vec::new(),
            missing_bits: [u8::MAX; 64],
        }
    }

    fn blocks_of_unit(&self) -> usize {
        self.sampling.0 * self.sampling.1
    }

    /// Returns the number of bytes of a row of the plane.
    pub(super) fn stride(&self) -> usize {
        self.padded.0 * self.side
    }

    /// Returns a row of the plane, without the pixels that fill the last block. The last row is
    /// also the next ones.
    pub(super) fn row(&self, y: usize) -> &[u8] {
        &self.plane[y.min(self.size.1 - 1) * self.stride()..][..self.size.0]
    }

    /// Whether scans had all bits of all coefficients.
    pub(super) fn is_complete(&self) -> bool {
        self.missing_bits == [0; 64]
    }

    /// Whether a scan had the first coefficients of its blocks.
    pub(super) fn has_data(&self) -> bool {
        self.missing_bits[0] != u8::MAX
    }

    /// Writes the pixels of the block at this column and row to the plane.
    #[inline]
    pub(super) fn write(&mut self, block: &Block, x: usize, y: usize) {
        let stride = self.stride();
        if let Some(steps) = &self.steps {
            idct::write(block, steps, self.side, &mut self.plane[(y * stride + x) * self.side..], stride);
        }
    }

    /// Makes the plane from the coefficients, which end.
    pub(super) fn write_coefficients(&mut self) {
        self.allocate_plane();
        let blocks = std::mem::take(&mut self.coefficients);
        for (row, blocks) in blocks.chunks(self.padded.0).enumerate() {
            for (column, block) in blocks.iter().enumerate() {
                self.write(block, column, row);
            }
        }
    }

    /// Makes the plane, of gray.
    pub(super) fn allocate_plane(&mut self) {
        self.plane = vec![128; self.stride() * self.padded.1 * self.side];
    }
}
