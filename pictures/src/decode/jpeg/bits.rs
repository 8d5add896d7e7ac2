//! The bits of a scan, and the Huffman codes in them.

use super::markers::next_marker;
use crate::rejection::Rejection;

/// The number of bits by which a code is looked up. Longer codes are rare.
const LOOKUP_BITS: u32 = 9;
/// The maximum length of a code.
const MAX_CODE_BITS: usize = 16;
const RESTART: u8 = 0xd0;

/// The codes of a Huffman table.
pub(super) struct Table {
    /// The code with which these bits begin: its length in the high byte, and its symbol in the low
    /// one. It is 0 if the code is longer.
    lookup: [u16; 1 << LOOKUP_BITS],
    /// For each length, one more than its last code, and what leads from a code to its symbol.
    lengths: [(u32, u32); MAX_CODE_BITS + 1],
    symbols: Vec<u8>,
}

impl Table {
    /// Makes the codes of a table: the number of codes of each length from 1 on, and the symbols in
    /// the order of the codes.
    pub(super) fn new(counts: &[u8; MAX_CODE_BITS], symbols: &[u8]) -> Result<Self, Rejection> {
        let mut lookup = [0; 1 << LOOKUP_BITS];
        let mut lengths = [(0, 0); MAX_CODE_BITS + 1];
        let (mut code, mut first) = (0_u32, 0_u32);
        for (length, &count) in (1_u32..).zip(counts) {
            let count = u32::from(count);
            if code + count > 1 << length {
                return Err(Rejection::Damaged);
            }
            lengths[length as usize] = (code + count, first.wrapping_sub(code));
            for index in 0..count {
                if length <= LOOKUP_BITS {
                    let symbol = *symbols.get((first + index) as usize).ok_or(Rejection::Damaged)?;
                    let (begin, span) = ((code + index) << (LOOKUP_BITS - length), 1 << (LOOKUP_BITS - length));
                    let entry = u16::from_be_bytes([length.to_le_bytes()[0], symbol]);
                    lookup[begin as usize..][..span].fill(entry);
                }
            }
            first += count;
            code = (code + count) << 1;
        }
        if first as usize != symbols.len() {
            return Err(Rejection::Damaged);
        }
        Ok(Self { lookup, lengths, symbols: symbols.to_vec() })
    }
}

/// Reads the data of a scan. Where the data ends before its blocks do, or has no valid code, it
/// reads zeros, and where restart markers are lost or repeated, it finds the next one that fits. All
/// of this is as libjpeg does it, so that a damaged picture looks as it does elsewhere.
pub(super) struct Bits<'a> {
    file: &'a [u8],
    /// The position of the next byte. At the end of the data, it is that of a marker.
    at: usize,
    /// The next bits, from the highest one on, and then zeros.
    buffer: u64,
    /// The number of bits in the buffer. It is negative after zeros were read for missing bits.
    count: i32,
    has_ended: bool,
    /// The number of the next restart marker.
    restart: u8,
}

impl<'a> Bits<'a> {
    pub(super) fn new(file: &'a [u8], at: usize) -> Self {
        Self { file, at, buffer: 0, count: 0, has_ended: false, restart: 0 }
    }

    /// Returns the position from which on the marker after the data is found.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Whether bits were missing since the last restart.
    pub(super) fn were_missing(&self) -> bool {
        self.count < 0
    }

    /// Reads the next code and returns its symbol.
    #[inline]
    pub(super) fn symbol(&mut self, table: &Table) -> u8 {
        self.refill();
        let [length, symbol] = table.lookup[(self.buffer >> (64 - LOOKUP_BITS)) as usize].to_be_bytes();
        if length == 0 {
            return self.long_symbol(table);
        }
        self.skip(u32::from(length));
        symbol
    }

    fn long_symbol(&mut self, table: &Table) -> u8 {
        for (length, &(end, offset)) in (0_u32..).zip(&table.lengths).skip(LOOKUP_BITS as usize + 1) {
            let code = self.next_bits(length);
            if code < end {
                self.skip(length);
                let symbol = table.symbols.get(code.wrapping_add(offset) as usize);
                return symbol.copied().unwrap_or_default();
            }
        }
        self.skip(17);
        0
    }

    /// Reads a number that follows a code which says that it has this many bits, at most 16. The
    /// buffer has them after the code.
    #[inline]
    pub(super) fn number(&mut self, bits: u8) -> i32 {
        if bits == 0 {
            return 0;
        }
        let bits = u32::from(bits);
        let value = self.next_bits(bits).cast_signed();
        self.skip(bits);
        // The lower half is negative.
        if value < 1 << (bits - 1) { value - (1 << bits) + 1 } else { value }
    }

    /// Reads this many bits, at most 16.
    #[inline]
    pub(super) fn bits(&mut self, bits: u8) -> u32 {
        if bits == 0 {
            return 0;
        }
        self.refill();
        let value = self.next_bits(u32::from(bits));
        self.skip(u32::from(bits));
        value
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "at most 16 bits are left")]
    fn next_bits(&self, bits: u32) -> u32 {
        (self.buffer >> (64 - bits)) as u32
    }

    #[inline]
    fn skip(&mut self, bits: u32) {
        self.buffer <<= bits;
        self.count -= bits.cast_signed();
    }

    /// Has 32 bits or more in the buffer, unless the data has ended: a code and its number.
    #[inline]
    fn refill(&mut self) {
        if self.count >= 32 || self.has_ended {
            return;
        }
        if let Some(bytes) = self.file.get(self.at..).and_then(|rest| rest.first_chunk()) {
            let word = u32::from_be_bytes(*bytes);
            // No byte is 255.
            if (!word).wrapping_sub(0x0101_0101) & word & 0x8080_8080 == 0 {
                self.buffer |= u64::from(word) << (32 - self.count);
                self.count += 32;
                self.at += 4;
                return;
            }
        }
        self.refill_by_bytes();
    }

    fn refill_by_bytes(&mut self) {
        while self.count <= 56 {
            let Some(&byte) = self.file.get(self.at) else {
                self.has_ended = true;
                return;
            };
            let mut next = self.at + 1;
            if byte == 0xff {
                while self.file.get(next) == Some(&0xff) {
                    next += 1;
                }
                if self.file.get(next) != Some(&0) {
                    self.has_ended = true;
                    return;
                }
                next += 1;
            }
            self.at = next;
            self.buffer |= u64::from(byte) << (56 - self.count);
            self.count += 8;
        }
    }

    /// Goes on after the next restart marker. A marker that is one or two ahead means that those
    /// before it are lost: it is left for later, and zeros are read until then. One that is one or
    /// two behind is a repeated one, and is skipped with its data. Any other takes the place of the
    /// right one.
    pub(super) fn restart(&mut self) {
        let expected = self.restart;
        self.restart = (expected + 1) % 8;
        let were_missing = self.were_missing();
        self.buffer = 0;
        self.has_ended = true;
        while let Some((code, after)) = next_marker(self.file, self.at) {
            let is_found = match code {
                ..0xc0 => false,
                RESTART..=0xd7 => match (code - RESTART + 8 - expected) % 8 {
                    1 | 2 => break,
                    6 | 7 => false,
                    _ => true,
                },
                _ => break,
            };
            self.at = after;
            if is_found {
                self.has_ended = false;
                break;
            }
        }
        self.count = if self.has_ended && were_missing { -1 } else { 0 };
    }
}
