//! A decoder for JPEGs that shows what libjpeg-turbo shows, on which Pillow and the browsers agree.
//!
//! The crates in Rust reject files whose data is not as it should be, or guess the colors in ways of
//! their own: of the 266 JPEGs in `tests/process/variants` whose pixels are known, jpeg-decoder 0.3.2
//! rejects 38 and shows 15 wrong, and zune-jpeg 0.5.15 rejects 25 and shows 58 wrong. libjpeg-turbo
//! would take 0.75 of the CPU time, as C code on files of strangers. This decoder reads sequential
//! and progressive frames with Huffman codes, and reduces them meanwhile.

use crate::bitmap::Raster;
use crate::decoded::{Decoded, check_size, target};
use crate::exif::Orientation;
use crate::rejection::Rejection;

mod bits;
mod colors;
mod frame;
mod idct;
mod markers;
mod planes;
mod scan;
mod tables;

use bits::Bits;
use colors::Colors;
use frame::{Component, Frame};
use markers::{END_OF_IMAGE, Markers, START_OF_SCAN};
use planes::Rows;
use scan::Scan;
use tables::Tables;

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

/// Decodes a JPEG at a scale of eighths that leaves at least the target size.
pub(super) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    let mut header = Header::default();
    let mut markers = Markers { file, at: 2 };
    let mut scan_header = header.read_until_scan(&mut markers)?.ok_or(Rejection::Damaged)?;
    let mut frame = header.frame.take().ok_or(Rejection::Damaged)?;
    let colors = Colors::new(&frame, header.is_jfif, header.adobe);
    let orientation = header.exif.map(Orientation::from_exif).unwrap_or_default();
    let icc_profile = header.icc_profile();
    let size = frame.size();
    let target = target(size, orientation);
    let scale = scale(size, target);
    frame.set_scale(scale as usize);
    if !frame.is_progressive {
        header.tables.complete_codes()?;
    }

    let (mut scans, mut visits, mut has_details) = (0, 0, true);
    loop {
        let scan = Scan::new(scan_header, &frame)?;
        scans += 1;
        visits += scan.visits();
        if scans > MAX_SCANS || visits > MAX_VISITS {
            return Err(Rejection::UnsupportedVariant);
        }
        let mut bits = Bits::new(file, markers.at);
        if !scan.decode(&mut frame, &header.tables, header.restart_interval, &mut bits)? {
            if !scan.has_details() {
                return Err(Rejection::Damaged);
            }
            has_details = false;
        }
        // Nothing after the only scan counts, not even the marker of the end.
        if scan.is_whole(&frame) {
            break;
        }
        markers.at = bits.position();
        match header.read_until_scan(&mut markers)? {
            Some(next) => scan_header = next,
            None => break,
        }
    }
    // Without the marker of the end, details are still to come.
    let is_sound = |component: &Component| {
        if header.has_ended { component.has_data() } else { component.is_complete() && has_details }
    };
    if !frame.components.iter().all(is_sound) {
        return Err(Rejection::Damaged);
    }
    if frame.is_progressive {
        frame.components.iter_mut().for_each(Component::write_coefficients);
    }
    Ok(Decoded { raster: raster(&frame, colors, scale), target, orientation, icc_profile })
}

/// Returns the pixels of a frame whose planes are decoded at a scale.
fn raster(frame: &Frame, colors: Colors, scale: u32) -> Raster {
    let size = frame.size();
    let [width, height] = [size.0, size.1].map(|side| (side * scale).div_ceil(8));
    let extent = |pixels: u32| (f64::from(pixels * scale) / 8.0).max(1.0);
    let channels = colors.channels();
    let mut pixels = vec![0; width as usize * height as usize * channels.count()];
    let mut rows: Vec<_> = frame.components.iter().map(|component| Rows::new(component, frame)).collect();
    for (y, pixels) in pixels.chunks_exact_mut(width as usize * channels.count()).enumerate() {
        for component in &mut rows {
            component.read(y, width as usize);
        }
        let rows: Vec<_> = rows.iter().map(Rows::row).collect();
        colors.write(&rows, pixels);
    }
    Raster { width, height, extent: (extent(size.0), extent(size.1)), channels, pixels }
}

/// The tables and the segments of a JPEG before a scan.
#[derive(Default)]
struct Header<'a> {
    frame: Option<Frame>,
    tables: Tables,
    restart_interval: usize,
    is_jfif: bool,
    /// The transform of the colors that the segment of Adobe's programs names.
    adobe: Option<u8>,
    exif: Option<&'a [u8]>,
    /// The parts of the ICC profile, each after its number and the number of all.
    icc_parts: Vec<&'a [u8]>,
    /// The marker of the end was read.
    has_ended: bool,
}

impl<'a> Header<'a> {
    /// Reads segments up to the header of a scan, which it returns. `None` means that the picture or
    /// the file has ended.
    fn read_until_scan(&mut self, markers: &mut Markers<'a>) -> Result<Option<&'a [u8]>, Rejection> {
        while let Some(marker) = markers.next() {
            if marker == END_OF_IMAGE {
                self.has_ended = true;
                break;
            }
            let Some(segment) = markers.segment() else { break };
            match marker {
                START_OF_SCAN => return Ok(Some(segment)),
                0xc4 => self.tables.read_codes(segment)?,
                0xdb => self.tables.read_steps(segment)?,
                0xdd => {
                    let &interval = segment.first_chunk().ok_or(Rejection::Damaged)?;
                    self.restart_interval = usize::from(u16::from_be_bytes(interval));
                }
                // Sequential and progressive frames with Huffman codes.
                0xc0..=0xc2 => {
                    if self.frame.is_some() {
                        return Err(Rejection::Damaged);
                    }
                    let frame = Frame::parse(segment, marker == 0xc2)?;
                    check_size(frame.size())?;
                    self.frame = Some(frame);
                }
                // Frames that are lossless, hierarchical, or have arithmetic codes.
                0xc3..=0xcf => return Err(Rejection::UnsupportedVariant),
                0xe0 => self.is_jfif |= segment.starts_with(b"JFIF\0") && segment.len() >= 14,
                0xe1 if segment.starts_with(b"Exif\0\0") => self.exif = self.exif.or(Some(segment)),
                0xe2 => self.icc_parts.extend(segment.strip_prefix(b"ICC_PROFILE\0")),
                0xee if segment.starts_with(b"Adobe") => self.adobe = segment.get(11).copied().or(self.adobe),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Returns the ICC profile, if all of its parts are there.
    fn icc_profile(&self) -> Option<Vec<u8>> {
        let mut parts = self.icc_parts.clone();
        parts.sort_unstable();
        let count = parts.len();
        let is_sound = parts.iter().zip(1..).all(|(part, number)| {
            matches!(part, [this, all, ..] if usize::from(*this) == number && usize::from(*all) == count)
        });
        (count > 0 && is_sound).then(|| parts.iter().flat_map(|part| &part[2..]).copied().collect())
    }
}

/// Returns the smallest scale, in eighths, at which the longer side has at least the pixels of the
/// target.
fn scale(size: (u32, u32), target: (u32, u32)) -> u32 {
    let (full, wanted) = if size.0 >= size.1 { (size.0, target.0) } else { (size.1, target.1) };
    if full == wanted {
        return 8;
    }
    [1, 2, 4].into_iter().find(|scale| (full * scale).div_ceil(8) >= wanted).unwrap_or(8)
}
