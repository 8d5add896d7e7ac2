//! The segments of a JPEG, as far as the decoder does not tell of them, and the work that its scans
//! ask for.
//!
//! A scan without data costs the decoder as much as any other, because it decodes zeros where the
//! data has ended. So the work of all scans is added up before anything is decoded.

use crate::rejection::Rejection;

/// The maximum number of scans. A progressive JPEG has about ten.
const MAX_SCANS: usize = 100;
/// The maximum number of coefficients that all scans together may visit: each scan visits those of
/// its band in each block of its components, and one more for the block itself. A visit takes about
/// 5 ns.
///
/// The scans that libjpeg writes by default visit 461 for each block of a picture in color without
/// subsampling, which are 461 million for [`MAX_PIXELS`](crate::MAX_PIXELS). Those of a picture in
/// CMYK visit 788, so that one may have 48 million pixels.
const MAX_VISITS: u64 = 600_000_000;
/// The number of blocks that the longest code of a progressive scan ends, and its least number of
/// bits: a code of one bit and 14 bits of length.
const LONGEST_RUN: (u64, u64) = (32_767, 15);

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;
const APP14: u8 = 0xee;

/// The properties of a JPEG that its segments state.
#[derive(Default)]
pub(super) struct Segments {
    /// The file says that a program follows Adobe's conventions.
    pub(super) is_adobe: bool,
    frame: Frame,
    scans: usize,
    visits: u64,
}

/// The header of a frame.
#[derive(Default)]
struct Frame {
    width: u64,
    height: u64,
    is_progressive: bool,
    components: Vec<Component>,
}

/// A color of a frame.
struct Component {
    id: u8,
    /// The horizontal and the vertical sampling factor.
    sampling: (u64, u64),
    /// A sequential scan has coded it.
    is_coded: bool,
}

impl Segments {
    /// Goes through the segments of a file. Rejects it if its scans ask for too much work, or have
    /// too little data for their blocks. What is malformed otherwise ends the walk; decoding
    /// rejects it.
    pub(super) fn read(file: &[u8]) -> Result<Self, Rejection> {
        let mut segments = Self::default();
        let mut rest = file;
        while let Some((marker, after)) = next_marker(rest) {
            rest = after;
            match marker {
                END_OF_IMAGE => break,
                // These have no content: TEM, the restarts and the start of the image.
                0x01 | 0xd0..=0xd8 => continue,
                _ => {}
            }
            let Some(&[high, low]) = rest.first_chunk() else { break };
            let Some((content, after)) = rest.split_at_checked(usize::from(u16::from_be_bytes([high, low]))) else {
                break;
            };
            let content = content.get(2..).unwrap_or_default();
            rest = after;
            match marker {
                START_OF_SCAN => {
                    let bytes = entropy_coded_bytes(rest);
                    segments.add_scan(content, bytes)?;
                }
                // A frame with Huffman codes: sequential or progressive.
                0xc0..=0xc2 if segments.frame.components.is_empty() => {
                    segments.frame = Frame::parse(content, marker == 0xc2).ok_or(Rejection::Damaged)?;
                }
                _ => {}
            }
            segments.is_adobe |= marker == APP14 && content.starts_with(b"Adobe");
        }
        Ok(segments)
    }

    /// Adds a scan with this header and this number of bytes of data.
    fn add_scan(&mut self, header: &[u8], bytes: u64) -> Result<(), Rejection> {
        let scan = self.frame.scan(header).ok_or(Rejection::Damaged)?;
        if bytes * 8 < scan.min_bits {
            return Err(Rejection::Damaged);
        }
        self.scans += 1;
        self.visits += scan.blocks * (scan.band + 1);
        if self.scans > MAX_SCANS || self.visits > MAX_VISITS {
            return Err(Rejection::UnsupportedVariant);
        }
        Ok(())
    }
}

/// The work that one scan asks for.
struct Scan {
    blocks: u64,
    /// The number of coefficients of a block.
    band: u64,
    /// The least number of bits that can code the blocks.
    min_bits: u64,
}

impl Frame {
    fn parse(header: &[u8], is_progressive: bool) -> Option<Self> {
        let (&[_, height @ .., count], mut rest) = header.split_first_chunk::<6>()?;
        let [height, width] = [[height[0], height[1]], [height[2], height[3]]].map(u16::from_be_bytes).map(u64::from);
        let mut components = Vec::new();
        for _ in 0..count {
            let (&[id, sampling, _], after) = rest.split_first_chunk::<3>()?;
            let sampling = (u64::from(sampling >> 4), u64::from(sampling & 15));
            if sampling.0 == 0 || sampling.1 == 0 {
                return None;
            }
            components.push(Component { id, sampling, is_coded: false });
            rest = after;
        }
        Some(Self { width, height, is_progressive, components })
    }

    /// Returns the scan with this header, or `None` if it is malformed.
    fn scan(&mut self, header: &[u8]) -> Option<Scan> {
        let (&count, rest) = header.split_first()?;
        let (selectors, rest) = rest.split_at_checked(usize::from(count) * 2)?;
        let &[first, last, _] = rest.first_chunk()?;
        let max = |side: fn(&Component) -> u64| self.components.iter().map(side).max().unwrap_or_default();
        let (max_x, max_y) = (max(|component| component.sampling.0), max(|component| component.sampling.1));
        let mut blocks_of_unit = 0;
        let mut sampling = (0, 0);
        for selector in selectors.chunks_exact(2) {
            let component = self.components.iter_mut().find(|component| component.id == selector[0])?;
            // The standard has one scan for each component of a sequential frame.
            if !self.is_progressive && std::mem::replace(&mut component.is_coded, true) {
                return None;
            }
            sampling = component.sampling;
            blocks_of_unit += sampling.0 * sampling.1;
        }
        let blocks = if count == 1 {
            // The blocks that the component itself has.
            (self.width * sampling.0).div_ceil(max_x * 8) * (self.height * sampling.1).div_ceil(max_y * 8)
        } else {
            self.width.div_ceil(max_x * 8) * self.height.div_ceil(max_y * 8) * blocks_of_unit
        };
        let (band, min_bits) = match (self.is_progressive, first) {
            // A code for the first coefficient, and one for the end of the block.
            (false, _) => (64, blocks * 2),
            (true, 0) => (1, blocks),
            (true, _) => (u64::from(last.checked_sub(first)?) + 1, (blocks * LONGEST_RUN.1 / LONGEST_RUN.0).max(1)),
        };
        Some(Scan { blocks, band, min_bits })
    }
}

/// Returns the number of bytes up to the marker that ends the data of a scan. The restarts are in
/// the data.
fn entropy_coded_bytes(bytes: &[u8]) -> u64 {
    let mut rest = bytes;
    loop {
        match next_marker(rest) {
            Some((0xd0..=0xd7, after)) => rest = after,
            Some((_, after)) => return (bytes.len() - after.len() - 2) as u64,
            None => return bytes.len() as u64,
        }
    }
}

/// Returns the code of the next marker and what follows it. In the data of a scan, 255 is followed
/// by 0 where it is no marker.
fn next_marker(mut bytes: &[u8]) -> Option<(u8, &[u8])> {
    loop {
        let at = bytes.iter().position(|&byte| byte == 0xff)?;
        bytes = &bytes[at + 1..];
        match bytes.first()? {
            0 | 0xff => {}
            &code => return Some((code, &bytes[1..])),
        }
    }
}
