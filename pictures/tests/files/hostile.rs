//! Makes files that take as much time or memory as they can, by code.

use super::{png_header, png_of, profile, riff_chunks, stored, webp_features, webp_of};

/// The width and the height of a picture that has as many pixels as an upload may have, and is not
/// reduced because it is narrow.
pub const NARROW: (u16, u16) = (1600, 40_000);

/// A scan of a JPEG.
pub struct Scan {
    /// The ids of its components, from 1 on.
    pub components: Vec<u8>,
    /// The first and the last coefficient.
    pub band: (u8, u8),
    /// Whether it refines coefficients of earlier scans.
    pub refines: bool,
    /// The number of bytes of its data, all of which are zeros.
    pub bytes: usize,
}

/// Returns a JPEG of these scans. In its Huffman tables, a bit 0 is the shortest code: a
/// coefficient of 1 in a first scan, and the end of a block in a refinement.
pub fn jpeg_of_scans((width, height): (u16, u16), components: u8, is_progressive: bool, scans: &[Scan]) -> Vec<u8> {
    let segment = |marker: u8, content: &[u8]| {
        let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
        [&[0xff, marker], &length[..], content].concat()
    };
    let table = |class: u8, symbol: u8| [&[class, 1][..], &[0; 15], &[symbol]].concat();
    let mut frame = [&[8], &height.to_be_bytes()[..], &width.to_be_bytes(), &[components]].concat();
    frame.extend((1..=components).flat_map(|id| [id, 0x11, 0]));
    let mut file = b"\xff\xd8".to_vec();
    file.extend(segment(0xdb, &[&[0][..], &[255; 64]].concat()));
    file.extend(segment(if is_progressive { 0xc2 } else { 0xc1 }, &frame));
    file.extend(segment(0xc4, &[table(0x00, 0), table(0x10, 1), table(0x11, 0)].concat()));
    for scan in scans {
        let tables = u8::from(scan.refines);
        let mut header = vec![u8::try_from(scan.components.len()).unwrap()];
        header.extend(scan.components.iter().flat_map(|&id| [id, tables]));
        header.extend([scan.band.0, scan.band.1, if scan.refines { 0x10 } else { 0 }]);
        file.extend(segment(0xda, &header));
        file.resize(file.len() + scan.bytes, 0);
    }
    file.extend(b"\xff\xd9");
    file
}

/// Returns a progressive JPEG of 64 megapixels with this number of scans. All but the first visit 63
/// coefficients of each block of a component, none of which is set, and have this number of bytes,
/// of which 125,000 are enough.
pub fn progressive(scans: usize, bytes: usize) -> Vec<u8> {
    let first = Scan { components: vec![1, 2, 3], band: (0, 0), refines: false, bytes: bytes * 3 };
    let others = (0..scans - 1).map(|index| Scan {
        components: vec![u8::try_from(index % 3 + 1).unwrap()],
        band: (1, 63),
        refines: true,
        bytes,
    });
    jpeg_of_scans((8000, 8000), 3, true, &[first].into_iter().chain(others).collect::<Vec<_>>())
}

/// Returns the progressive JPEG with the most work that is accepted: four components that are not
/// reduced, whose coefficients are all set and then refined. The data is nothing but restart
/// markers, after each of which a decoder reads zeros for one block.
pub fn most_work() -> Vec<u8> {
    // 200 × 5000 blocks have each component.
    let first = Scan { components: vec![1, 2, 3, 4], band: (0, 0), refines: false, bytes: 500_000 };
    let mut file = jpeg_of_scans(NARROW, 4, true, &[first]);
    file.truncate(file.len() - 2);
    file.extend(b"\xff\xdd\x00\x04\x00\x01");
    let markers: Vec<u8> = (0xd0..=0xd7).flat_map(|marker| [0xff, marker]).collect();
    for (component, refines) in
        [(1, false), (2, false), (3, false), (4, false), (1, true), (2, true), (3, true), (4, true), (1, true)]
    {
        let tables = u8::from(refines);
        file.extend([0xff, 0xda, 0, 8, 1, component, tables, 1, 63, tables << 4]);
        file.extend(markers.repeat(1_000_000 / 8));
    }
    file.extend(b"\xff\xd9");
    file
}

/// Returns an ICC profile that has the same table this many times. The table has 3 × `side`³ bytes.
pub fn profile_of_tables(side: u8, count: usize) -> Vec<u8> {
    let matrix: Vec<u8> = (0..9).flat_map(|index| if index % 4 == 0 { [0, 1, 0, 0] } else { [0; 4] }).collect();
    let curve: Vec<u8> = (0..=255).collect();
    let points = usize::from(side).pow(3) * 3;
    let table =
        [b"mft1\0\0\0\0\x03\x03", &[side, 0][..], &matrix, &curve.repeat(3), &vec![7; points], &curve.repeat(3)];
    let one = profile(b"RGB ", &[(b"A2B0", table.concat())]);
    // The entry of the table, with its position moved by the entries that follow it.
    let moved = u32::try_from(128 + 4 + count * 12).unwrap();
    let entry = [b"A2B0", &moved.to_be_bytes()[..], &one[140..144]].concat();
    let length = u32::try_from(one.len() - 12 + count * 12).unwrap();
    let count_field = u32::try_from(count).unwrap().to_be_bytes();
    [&length.to_be_bytes()[..], &one[4..128], &count_field, &entry.repeat(count), &one[144..]].concat()
}

/// Returns a PNG whose pixels follow a compressed stream of this many empty blocks. Each block has
/// tables of its own, which take 11 bytes.
pub fn png_of_empty_blocks(blocks: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // Eight blocks are a whole number of bytes.
    for _ in 0..8 {
        // Not the last block, with tables: 257 lengths of codes, 1 for distances, and 18 lengths of
        // the codes for them.
        bits.put(0b100, 3);
        bits.put(14 << 10, 14);
        // In the order of the format, the codes 18 and 1 have one bit: 1 means 1, and 18 many
        // zeros.
        for index in 0..18 {
            bits.put(u32::from(matches!(index, 2 | 17)), 3);
        }
        // The lengths: 1, then 138 and 117 zeros, 1, and 1 for the distances.
        bits.put(0, 1);
        bits.put(1 | 127 << 1, 8);
        bits.put(1 | 106 << 1, 8);
        bits.put(0, 2);
        // The end of the block.
        bits.put(1, 1);
    }
    let pixels = &stored(&[0; 8 * 9])[2..];
    let data = [b"\x78\x01", &bits.finish().repeat(blocks / 8)[..], pixels].concat();
    png_of(&[(b"IHDR", &png_header(8, 8, 0, false)), (b"IDAT", &data), (b"IEND", &[])])
}

/// Returns a lossless WebP picture of 16 × 16 pixels with this number of groups of tables, each of
/// which takes 65 KB of memory.
pub fn webp_of_groups(groups: u32) -> Vec<u8> {
    let mut group = Bits::default();
    // The lengths of 2,328 codes. Codes of one and two bits mean: 16 repeats a length, and 11 and
    // 12 are lengths.
    group.put(0, 1);
    group.put(12, 4);
    for length in [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 2] {
        group.put(length, 3);
    }
    group.put(0, 1);
    for (code, count) in [(0b01, 1768), (0b11, 560)] {
        group.put(code, 2);
        let mut left = count - 1;
        while left >= 3 {
            let repetitions = left.min(6);
            group.put((repetitions - 3) << 1, 3);
            left -= repetitions;
        }
        for _ in 0..left {
            group.put(code, 2);
        }
    }
    for _ in 0..4 {
        group.symbol(0);
    }

    let mut bits = Bits::default();
    bits.size_of_webp(16, 16);
    // No transform, a cache of 2,048 colors, and one tile, which has the last group.
    bits.put(0, 1);
    bits.put(1 | 11 << 1, 5);
    bits.put(1 | 7 << 1, 4);
    bits.put(0, 1);
    for symbol in [(groups - 1) & 255, (groups - 1) >> 8, 0, 0, 0] {
        bits.symbol(symbol);
    }
    for _ in 0..groups {
        bits.append(&group);
    }
    webp_of(&[(b"VP8L", &[&bits.finish()[..], &[0; 1000]].concat())])
}

/// Returns a WebP picture of 64 megapixels in 50 bytes, each of which passes three transforms.
pub fn webp_of_one_color(is_animation: bool) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.size_of_webp(8000, 8000);
    // The predictors and the colors of tiles of 4 × 4 pixels, and the subtraction of green.
    for (transform, symbols) in [(0, [11, 0, 0, 0, 0]), (1, [9, 5, 7, 0, 0])] {
        bits.put(1 | transform << 1, 6);
        bits.put(0, 1);
        for symbol in symbols {
            bits.symbol(symbol);
        }
    }
    bits.put(1 | 2 << 1, 3);
    // No more transforms, no cache, and one group.
    bits.put(0, 3);
    for symbol in [77, 5, 3, 200, 0] {
        bits.symbol(symbol);
    }
    let stream = bits.finish();
    if !is_animation {
        return webp_of(&[(b"VP8L", &stream)]);
    }
    let side = &7999_u32.to_le_bytes()[..3];
    let frame = [&[0; 6], side, side, &[100, 0, 0, 0], &riff_chunks(&[(b"VP8L", &stream)])].concat();
    webp_of(&[(b"VP8X", &webp_features(0b1_0010, 8000, 8000)), (b"ANIM", &[0; 6]), (b"ANMF", &frame)])
}

/// A stream of bits, from the lowest bit of each byte on.
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    fn append(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// Writes the beginning of a lossless WebP picture.
    fn size_of_webp(&mut self, width: u32, height: u32) {
        self.put(0x2f, 8);
        self.put(width - 1, 14);
        self.put(height - 1, 14);
        self.put(1, 4);
    }

    /// Writes a table with one symbol, which takes no bits then.
    fn symbol(&mut self, symbol: u32) {
        self.put(0b101, 3);
        self.put(symbol, 8);
    }

    fn finish(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        self.0.chunks(8).map(byte).collect()
    }
}
