//! The beginning of a lossless stream, up to the tables that decode its pixels.
//!
//! A stream may have 65,536 groups of tables, one of which decodes each tile of the picture. A
//! group takes 200 bytes of the file and up to 120 KB of memory, so a file of 14 MB would take 8
//! GB. The
//! [format](https://developers.google.com/speed/webp/docs/webp_lossless_bitstream_specification)
//! states the number of groups nowhere: it is the largest value in a picture of the tiles, which is
//! compressed, and follows other pictures that are compressed too. So these small pictures are
//! decoded here, before the decoder gets the stream.

use crate::decoded::check_size;
use crate::rejection::Rejection;

/// The maximum number of tiles, and of groups of tables. libwebp writes at most
/// [2,600](https://chromium.googlesource.com/webm/libwebp/+/refs/heads/main/src/enc/vp8li_enc.h).
/// So many groups take up to 310 MB, and with more tiles, a picture of
/// [`MAX_PIXELS`](crate::MAX_PIXELS) changes its group so often that it takes twice as long.
const MAX_TILES: u32 = 2_600;
/// The numbers of symbols in the five tables of a group, without the colors of a cache: green with
/// the lengths of copies, red, blue, alpha, and the distances of copies.
const SYMBOLS: [usize; 5] = [256 + 24, 256, 256, 256, 40];
/// The order in which the lengths of the codes for code lengths are written.
const LENGTH_ORDER: [usize; 19] = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// The pixels that the smallest codes of a distance mean, as columns to the left and rows up.
#[rustfmt::skip]
const NEIGHBORS: [(i64, i64); 120] = [
    (0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0), (1, 2), (-1, 2), (2, 1), (-2, 1), (2, 2), (-2, 2), (0, 3), (3, 0), (1, 3),
    (-1, 3), (3, 1), (-3, 1), (2, 3), (-2, 3), (3, 2), (-3, 2), (0, 4), (4, 0), (1, 4), (-1, 4), (4, 1), (-4, 1), (3, 3),
    (-3, 3), (2, 4), (-2, 4), (4, 2), (-4, 2), (0, 5), (3, 4), (-3, 4), (4, 3), (-4, 3), (5, 0), (1, 5), (-1, 5), (5, 1),
    (-5, 1), (2, 5), (-2, 5), (5, 2), (-5, 2), (4, 4), (-4, 4), (3, 5), (-3, 5), (5, 3), (-5, 3), (0, 6), (6, 0), (1, 6),
    (-1, 6), (6, 1), (-6, 1), (2, 6), (-2, 6), (6, 2), (-6, 2), (4, 5), (-4, 5), (5, 4), (-5, 4), (3, 6), (-3, 6), (6, 3),
    (-6, 3), (0, 7), (7, 0), (1, 7), (-1, 7), (5, 5), (-5, 5), (7, 1), (-7, 1), (4, 6), (-4, 6), (6, 4), (-6, 4), (2, 7),
    (-2, 7), (7, 2), (-7, 2), (3, 7), (-3, 7), (7, 3), (-7, 3), (5, 6), (-5, 6), (6, 5), (-6, 5), (8, 0), (4, 7), (-4, 7),
    (7, 4), (-7, 4), (8, 1), (8, 2), (6, 6), (-6, 6), (8, 3), (5, 7), (-5, 7), (7, 5), (-7, 5), (8, 4), (6, 7), (-6, 7),
    (7, 6), (-7, 6), (8, 5), (7, 7), (-7, 7), (8, 6), (8, 7),
];

/// Checks the content of a chunk `VP8L`, a stream that begins with the size of its picture.
pub(super) fn check(chunk: &[u8]) -> Result<(), Rejection> {
    let mut bits = Bits { bytes: chunk, position: 8 };
    let size = (bits.read(14)? + 1, bits.read(14)? + 1);
    // Whether there is transparency, and the version.
    bits.read(4)?;
    check_size(size)?;
    check_groups(&mut bits, size)
}

/// Checks the content of a chunk `ALPH` of a picture of this size. It has a stream after its flags,
/// if these say so.
pub(super) fn check_alpha(chunk: &[u8], size: (u32, u32)) -> Result<(), Rejection> {
    match chunk.split_first() {
        Some((flags, stream)) if flags & 3 == 1 => check_groups(&mut Bits { bytes: stream, position: 0 }, size),
        _ => Ok(()),
    }
}

fn check_groups(bits: &mut Bits<'_>, (mut width, height): (u32, u32)) -> Result<(), Rejection> {
    let mut is_seen = [false; 4];
    while bits.read(1)? == 1 {
        let transform = bits.read(2)?;
        if std::mem::replace(&mut is_seen[transform as usize], true) {
            return Err(Rejection::Damaged);
        }
        match transform {
            // The predictors and the color transforms of tiles.
            0 | 1 => {
                let side = bits.read(3)? + 2;
                bits.picture(tiles(width, side), tiles(height, side))?;
            }
            // Green is subtracted.
            2 => {}
            // A palette. With a small one, a pixel holds several indices.
            _ => {
                let colors = bits.read(8)? + 1;
                bits.picture(colors, 1)?;
                let side = match colors {
                    1..=2 => 3,
                    3..=4 => 2,
                    5..=16 => 1,
                    _ => 0,
                };
                width = tiles(width, side);
            }
        }
    }
    bits.cache()?;
    if bits.read(1)? == 0 {
        return Ok(());
    }
    let side = bits.read(3)? + 2;
    let (columns, rows) = (tiles(width, side), tiles(height, side));
    if columns * rows > MAX_TILES {
        return Err(Rejection::UnsupportedVariant);
    }
    let picture = bits.picture(columns, rows)?;
    // Red and green are the number of the group.
    let last = picture.iter().map(|pixel| (pixel >> 8) & 0xffff).max().unwrap_or_default();
    if last >= MAX_TILES { Err(Rejection::UnsupportedVariant) } else { Ok(()) }
}

/// Returns the number of tiles, whose side is 2 to the power of `side`, that cover this many
/// pixels.
fn tiles(pixels: u32, side: u32) -> u32 {
    pixels.div_ceil(1 << side)
}

/// A stream of bits, from the lowest bit of each byte on.
struct Bits<'a> {
    bytes: &'a [u8],
    /// The number of bits that have been read.
    position: usize,
}

impl Bits<'_> {
    /// Returns the next bits, at least 57. After the end come zeros.
    fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.position / 8..).unwrap_or_default();
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        });
        u64::from_le_bytes(word) >> (self.position % 8)
    }

    fn skip(&mut self, count: usize) -> Result<(), Rejection> {
        self.position += count;
        if self.position > self.bytes.len() * 8 { Err(Rejection::Damaged) } else { Ok(()) }
    }

    /// Reads up to 32 bits.
    fn read(&mut self, count: u32) -> Result<u32, Rejection> {
        let value = self.peek() & ((1 << count) - 1);
        self.skip(count as usize)?;
        Ok(u32::try_from(value).expect("it has at most 32 bits"))
    }

    /// Reads the header of a color cache. Returns the number of bits of its indices, 0 if there is
    /// none.
    fn cache(&mut self) -> Result<u32, Rejection> {
        if self.read(1)? == 0 {
            return Ok(0);
        }
        let bits = self.read(4)?;
        if (1..=11).contains(&bits) { Ok(bits) } else { Err(Rejection::Damaged) }
    }

    /// Decodes a picture with one group of tables. A pixel has alpha, red, green and blue, from the
    /// highest byte on.
    fn picture(&mut self, width: u32, height: u32) -> Result<Vec<u32>, Rejection> {
        let mut cache = Cache::new(self.cache()?);
        let mut tables = Vec::new();
        for (index, symbols) in SYMBOLS.into_iter().enumerate() {
            tables.push(self.table(if index == 0 { symbols + cache.colors.len() } else { symbols })?);
        }
        let count = width as usize * height as usize;
        let mut pixels = Vec::with_capacity(count);
        while pixels.len() < count {
            match tables[0].symbol(self)? {
                green @ 0..256 => {
                    let (red, blue, alpha) =
                        (tables[1].symbol(self)?, tables[2].symbol(self)?, tables[3].symbol(self)?);
                    let pixel = alpha << 24 | red << 16 | green << 8 | blue;
                    cache.insert(pixel);
                    pixels.push(pixel);
                }
                length @ 256..280 => {
                    let length = self.extended(length - 256)?;
                    let code = tables[4].symbol(self)?;
                    let distance = distance(self.extended(code)?, width);
                    if distance > pixels.len() || length as usize > count - pixels.len() {
                        return Err(Rejection::Damaged);
                    }
                    for _ in 0..length {
                        let pixel = pixels[pixels.len() - distance];
                        cache.insert(pixel);
                        pixels.push(pixel);
                    }
                }
                index => pixels.push(cache.colors[index as usize - 280]),
            }
        }
        Ok(pixels)
    }

    /// Reads the bits that follow the code of a length or of a distance, and returns its value.
    fn extended(&mut self, code: u32) -> Result<u32, Rejection> {
        if code < 4 {
            return Ok(code + 1);
        }
        let count = (code - 2) / 2;
        Ok(((2 + code % 2) << count) + self.read(count)? + 1)
    }

    /// Reads a table of codes for this many symbols.
    fn table(&mut self, symbols: usize) -> Result<Table, Rejection> {
        if self.read(1)? == 1 {
            let has_two = self.read(1)? == 1;
            let bits = if self.read(1)? == 1 { 8 } else { 1 };
            let first = self.read(bits)?;
            let codes = if has_two { vec![(first, 1), (self.read(8)?, 1)] } else { vec![(first, 0)] };
            let is_known = codes.iter().all(|(symbol, _)| (*symbol as usize) < symbols);
            return if is_known { Ok(Table { codes }) } else { Err(Rejection::Damaged) };
        }
        let mut of_lengths = [0; LENGTH_ORDER.len()];
        let count = self.read(4)? as usize + 4;
        for symbol in &LENGTH_ORDER[..count] {
            of_lengths[*symbol] = self.read(3)?;
        }
        let of_lengths = Table::from_lengths(&of_lengths)?;
        let mut codes_left = symbols;
        if self.read(1)? == 1 {
            let bits = self.read(3)? * 2 + 2;
            codes_left = self.read(bits)? as usize + 2;
            if codes_left > symbols {
                return Err(Rejection::Damaged);
            }
        }
        let mut lengths = vec![0; symbols];
        let (mut at, mut previous) = (0, 8);
        while at < symbols && codes_left > 0 {
            codes_left -= 1;
            let (length, repetitions) = match of_lengths.symbol(self)? {
                length @ 0..16 => (length, 1),
                16 => (previous, self.read(2)? + 3),
                17 => (0, self.read(3)? + 3),
                _ => (0, self.read(7)? + 11),
            };
            if length > 0 {
                previous = length;
            }
            let end = at + repetitions as usize;
            lengths.get_mut(at..end).ok_or(Rejection::Damaged)?.fill(length);
            at = end;
        }
        Table::from_lengths(&lengths)
    }
}

/// Returns the distance of a copy in pixels.
fn distance(code: u32, width: u32) -> usize {
    match NEIGHBORS.get(code as usize - 1) {
        Some((columns, rows)) => usize::try_from(columns + rows * i64::from(width)).unwrap_or_default().max(1),
        None => code as usize - NEIGHBORS.len(),
    }
}

/// The colors that a stream can name by their hashes.
struct Cache {
    bits: u32,
    colors: Vec<u32>,
}

impl Cache {
    fn new(bits: u32) -> Self {
        Self { bits, colors: vec![0; if bits == 0 { 0 } else { 1 << bits }] }
    }

    fn insert(&mut self, pixel: u32) {
        if self.bits > 0 {
            self.colors[(pixel.wrapping_mul(0x1e35_a7bd) >> (32 - self.bits)) as usize] = pixel;
        }
    }
}

/// A table of Huffman codes.
struct Table {
    /// The symbol whose code is at the beginning of each number of as many bits as the longest code
    /// has, and the length of this code.
    codes: Vec<(u32, usize)>,
}

impl Table {
    /// Returns the canonical table with codes of these lengths, up to 15 bits. A symbol that is
    /// alone takes no bits; otherwise the codes have to be complete.
    fn from_lengths(lengths: &[u32]) -> Result<Self, Rejection> {
        let symbols =
            |length: u32| (0..).zip(lengths).filter(move |(_, other)| **other == length).map(|(symbol, _)| symbol);
        let max = lengths.iter().copied().max().unwrap_or_default();
        if lengths.iter().filter(|length| **length > 0).count() == 1 {
            return Ok(Self { codes: symbols(max).map(|symbol| (symbol, 0)).collect() });
        }
        let mut codes = vec![(0, 0); 1 << max];
        let mut code = 0_u32;
        for length in 1..=max {
            for symbol in symbols(length) {
                if code >= 1 << length {
                    return Err(Rejection::Damaged);
                }
                let reversed = code.reverse_bits() >> (u32::BITS - length);
                for entry in codes[reversed as usize..].iter_mut().step_by(1 << length) {
                    *entry = (symbol, length as usize);
                }
                code += 1;
            }
            code <<= 1;
        }
        if max == 0 || code != 2 << max { Err(Rejection::Damaged) } else { Ok(Self { codes }) }
    }

    fn symbol(&self, bits: &mut Bits<'_>) -> Result<u32, Rejection> {
        let index = usize::try_from(bits.peek() & (self.codes.len() as u64 - 1)).expect("it has at most 15 bits");
        let (symbol, length) = self.codes[index];
        bits.skip(length)?;
        Ok(symbol)
    }
}
