//! A scan of a JPEG: coefficients of some or all components.

use super::bits::{Bits, Table};
use super::frame::Frame;
use super::idct::Block;
use super::tables::{Tables, ZIGZAG};
use crate::decoded::is_nearly_all;
use crate::rejection::Rejection;

/// The header of a scan.
struct Header {
    /// The indexes of its components, and the numbers of their tables.
    components: Vec<usize>,
    dc: Vec<usize>,
    ac: Vec<usize>,
    /// The first and the last coefficient of its band.
    band: (usize, usize),
    /// Earlier scans had the higher bits of its coefficients.
    refines: bool,
    /// The number of bits that later scans have.
    low_bits: u8,
}

impl Header {
    fn parse(header: &[u8], frame: &Frame) -> Result<Self, Rejection> {
        let (&count, rest) = header.split_first().ok_or(Rejection::Damaged)?;
        let (selectors, rest) = rest.split_at_checked(usize::from(count) * 2).ok_or(Rejection::Damaged)?;
        let &[first, last, bits] = rest.first_chunk().ok_or(Rejection::Damaged)?;
        let components = frame.find(selectors.iter().step_by(2).copied())?;
        let tables = || selectors.iter().skip(1).step_by(2);
        let scan = Self {
            components,
            dc: tables().map(|tables| usize::from(tables >> 4)).collect(),
            ac: tables().map(|tables| usize::from(tables & 15)).collect(),
            band: if frame.is_progressive { (usize::from(first), usize::from(last)) } else { (0, 63) },
            refines: frame.is_progressive && bits >> 4 != 0,
            low_bits: if frame.is_progressive { bits & 15 } else { 0 },
        };
        let is_sound = match scan.band {
            _ if !frame.is_progressive => true,
            (0, last) => last == 0,
            (first, last) => first <= last && last < 64 && scan.components.len() == 1,
        };
        // One scan refines one bit.
        if !is_sound || scan.low_bits > 13 || scan.refines && bits >> 4 != scan.low_bits + 1 {
            return Err(Rejection::Damaged);
        }
        Ok(scan)
    }
}

/// A scan that is to be decoded.
pub(super) struct Scan {
    header: Header,
    /// The number of units in each direction.
    units: (usize, usize),
    /// The number of blocks in each direction that a unit has of each component.
    blocks: Vec<(usize, usize)>,
}

impl Scan {
    pub(super) fn new(header: &[u8], frame: &Frame) -> Result<Self, Rejection> {
        let header = Header::parse(header, frame)?;
        let (units, blocks) = match header.components[..] {
            // A unit is a block, and there are none beyond the component.
            [component] => (frame.components[component].blocks, vec![(1, 1)]),
            _ => (frame.units(), header.components.iter().map(|&index| frame.components[index].sampling).collect()),
        };
        Ok(Self { header, units, blocks })
    }

    /// Returns the number of coefficients that the scan visits: those of its band in each block, and
    /// one more for the block itself.
    pub(super) fn visits(&self) -> u64 {
        let blocks: usize = self.blocks.iter().map(|(x, y)| x * y).sum();
        let (first, last) = self.header.band;
        (self.units.0 * self.units.1 * blocks * (last - first + 2)) as u64
    }

    /// Whether the scan has all of a frame.
    pub(super) fn is_whole(&self, frame: &Frame) -> bool {
        !frame.is_progressive && self.header.components.len() == frame.components.len()
    }

    /// Whether the scan adds details to blocks that have their colors from another scan.
    pub(super) fn has_details(&self) -> bool {
        self.header.band.0 > 0 || self.header.refines
    }

    /// Decodes the scan: a sequential one to the planes, a progressive one to the coefficients.
    /// Returns whether its data goes up to the end, or nearly so. Where data is missing in between, the
    /// picture is gray, as it is elsewhere.
    pub(super) fn decode(
        &self,
        frame: &mut Frame,
        tables: &Tables,
        restart_interval: usize,
        bits: &mut Bits,
    ) -> Result<bool, Rejection> {
        self.prepare(frame, tables)?;
        let Header { components: indexes, band, refines, low_bits, .. } = &self.header;
        let (band, low_bits) = (*band, *low_bits);
        let dc = || find(&tables.dc, &self.header.dc);
        let ac = || find(&tables.ac, &self.header.ac);
        let components = &mut frame.components;
        let missing = if !frame.is_progressive {
            let (dc, ac) = (dc()?, ac()?);
            self.walk(restart_interval, bits, |bits, state, part, x, y| {
                let mut block = [0; 64];
                sequential(bits, &mut state.first[part], dc[part], ac[part], &mut block);
                components[indexes[part]].write(&block, x, y);
            })
        } else if band.0 > 0 {
            let ac = ac()?[0];
            let component = &mut components[indexes[0]];
            self.walk(restart_interval, bits, |bits, state, _, x, y| {
                let block = &mut component.coefficients[y * component.padded.0 + x];
                let decode = if *refines { refine } else { band_of };
                decode(bits, &mut state.empty, ac, band, low_bits, block);
            })
        } else {
            let dc = if *refines { Vec::new() } else { dc()? };
            self.walk(restart_interval, bits, |bits, state, part, x, y| {
                let component = &mut components[indexes[part]];
                let first = &mut component.coefficients[y * component.padded.0 + x][0];
                if let Some(dc) = dc.get(part) {
                    *first = difference(bits, &mut state.first[part], dc, low_bits);
                } else if bits.bits(1) == 1 {
                    *first |= 1 << low_bits;
                }
            })
        };
        Ok(is_nearly_all(missing, self.units.0 * self.units.1))
    }

    /// Gives the components of the scan their tables, and what the scan is decoded to.
    fn prepare(&self, frame: &mut Frame, tables: &Tables) -> Result<(), Rejection> {
        let (first, last) = self.header.band;
        for &index in &self.header.components {
            let component = &mut frame.components[index];
            component.steps = component.steps.or(tables.steps[component.table]);
            if component.steps.is_none() {
                return Err(Rejection::Damaged);
            }
            if !frame.is_progressive {
                // The standard has one scan for each component of a sequential frame.
                if component.is_complete() {
                    return Err(Rejection::Damaged);
                }
                component.allocate_plane();
            } else if component.coefficients.is_empty() {
                component.coefficients = vec![[0; 64]; component.padded.0 * component.padded.1];
            }
            component.missing_bits[first..=last].fill(self.header.low_bits);
        }
        Ok(())
    }

    /// Calls `block` for each block, with the index of its component in the scan, its column and its
    /// row. Units without data keep what is there. Returns the number of those at the end.
    fn walk(
        &self,
        restart_interval: usize,
        bits: &mut Bits,
        mut block: impl FnMut(&mut Bits, &mut State, usize, usize, usize),
    ) -> usize {
        let mut state = State::default();
        let mut until_restart = restart_interval;
        let mut missing = 0;
        for row in 0..self.units.1 {
            for column in 0..self.units.0 {
                if restart_interval > 0 {
                    if until_restart == 0 {
                        bits.restart();
                        state = State::default();
                        until_restart = restart_interval;
                    }
                    until_restart -= 1;
                }
                if !bits.were_missing() {
                    for (part, &(width, height)) in self.blocks.iter().enumerate() {
                        for y in 0..height {
                            for x in 0..width {
                                block(bits, &mut state, part, column * width + x, row * height + y);
                            }
                        }
                    }
                }
                missing = if bits.were_missing() { missing + 1 } else { 0 };
            }
        }
        missing
    }
}

/// The state that the blocks of a scan leave for the next ones.
#[derive(Default)]
struct State {
    /// The first coefficient of the last block of each component.
    first: [i32; 4],
    /// The number of the next blocks that have no more coefficients in the band.
    empty: u32,
}

/// Returns the tables with these numbers.
fn find<'a>(tables: &'a [Option<Table>; 4], numbers: &[usize]) -> Result<Vec<&'a Table>, Rejection> {
    numbers.iter().map(|&number| tables.get(number).and_then(Option::as_ref).ok_or(Rejection::Damaged)).collect()
}

/// Reads the first coefficient of a block, which is stored as the difference to that of the last
/// block.
#[inline]
fn difference(bits: &mut Bits, last: &mut i32, dc: &Table, low_bits: u8) -> i16 {
    let length = bits.symbol(dc);
    *last = last.wrapping_add(bits.number(length));
    truncated(*last << low_bits)
}

/// Reads a block of a sequential scan.
#[inline]
fn sequential(bits: &mut Bits, last: &mut i32, dc: &Table, ac: &Table, block: &mut Block) {
    block[0] = difference(bits, last, dc, 0);
    let mut at = 1;
    while at < 64 {
        let symbol = bits.symbol(ac);
        let (zeros, length) = (usize::from(symbol >> 4), symbol & 15);
        if length > 0 {
            at += zeros;
            block[usize::from(ZIGZAG[at])] = truncated(bits.number(length));
        } else if zeros == 15 {
            at += 15;
        } else {
            break;
        }
        at += 1;
    }
}

/// Reads the higher bits of a band of a block.
fn band_of(bits: &mut Bits, empty: &mut u32, ac: &Table, band: (usize, usize), low_bits: u8, block: &mut Block) {
    if *empty > 0 {
        *empty -= 1;
        return;
    }
    let mut at = band.0;
    while at <= band.1 {
        let symbol = bits.symbol(ac);
        let (zeros, length) = (symbol >> 4, symbol & 15);
        if length > 0 {
            at += usize::from(zeros);
            block[usize::from(ZIGZAG[at])] = truncated(bits.number(length) << low_bits);
        } else if zeros == 15 {
            at += 15;
        } else {
            *empty = (1 << zeros) + bits.bits(zeros) - 1;
            break;
        }
        at += 1;
    }
}

/// Reads one more bit of a band of a block.
fn refine(bits: &mut Bits, empty: &mut u32, ac: &Table, band: (usize, usize), low_bits: u8, block: &mut Block) {
    let bit = 1_i16 << low_bits;
    let mut at = band.0;
    while *empty == 0 && at <= band.1 {
        let symbol = bits.symbol(ac);
        let (mut zeros, length) = (symbol >> 4, symbol & 15);
        let mut value = 0;
        if length > 0 {
            value = if bits.bits(1) == 1 { bit } else { -bit };
        } else if zeros < 15 {
            *empty = (1 << zeros) + bits.bits(zeros);
            break;
        }
        // The zeros before a new coefficient do not count those that are there already.
        while at <= band.1 {
            let coefficient = &mut block[usize::from(ZIGZAG[at])];
            if *coefficient != 0 {
                refine_one(bits, coefficient, bit);
            } else if zeros == 0 {
                *coefficient = value;
                break;
            } else {
                zeros -= 1;
            }
            at += 1;
        }
        at += 1;
    }
    if *empty > 0 {
        for at in at..=band.1 {
            let coefficient = &mut block[usize::from(ZIGZAG[at])];
            if *coefficient != 0 {
                refine_one(bits, coefficient, bit);
            }
        }
        *empty -= 1;
    }
}

#[inline]
fn refine_one(bits: &mut Bits, coefficient: &mut i16, bit: i16) {
    if bits.bits(1) == 1 && *coefficient & bit == 0 {
        *coefficient = coefficient.wrapping_add(if *coefficient > 0 { bit } else { -bit });
    }
}

/// Returns a coefficient. Those of a damaged file may be too large, and lose their higher bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it is meant to")]
fn truncated(value: i32) -> i16 {
    value as i16
}
