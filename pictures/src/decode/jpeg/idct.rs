//! The inverse discrete cosine transform of a block, at 8, 4, 2 and 1 pixels for a side. These are
//! the integer transforms of libjpeg (jidctint.c and jidctred.c), whose results other programs
//! show: the one of 8 × 8 pixels after Loeffler, Ligtenberg and Moschytz, and the others without
//! the frequencies that their pixels cannot show.

use std::num::Wrapping;

/// The coefficients of a block, or the steps that they are multiples of, row by row.
pub(super) type Block = [i16; 64];

/// The bits after the point of a factor, and those that the first pass keeps.
const FACTOR_BITS: usize = 13;
const FIRST_PASS_BITS: usize = 2;

/// Coefficients of a damaged file may exceed 32 bits.
type Number = Wrapping<i32>;

/// Returns a factor with its bits after the point.
#[expect(clippy::cast_possible_truncation, reason = "factors are small")]
const fn factor(value: f64) -> Number {
    let scaled = value * (1 << FACTOR_BITS) as f64;
    Wrapping((if value < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i32)
}

/// Writes the pixels of a block, `side` × `side` of them, to rows that are `stride` bytes apart.
pub(super) fn write(block: &Block, steps: &[u16; 64], side: usize, pixels: &mut [u8], stride: usize) {
    // The bits that are set below the first coefficient of each column.
    let mut below = [0; 8];
    for row in block.chunks_exact(8).skip(1) {
        for (below, coefficient) in below.iter_mut().zip(row) {
            *below |= coefficient;
        }
    }
    if side == 1 || below == [0; 8] && block[1..8] == [0; 7] {
        let value = pixel(rounded(dequantized(block, steps, 0), 3));
        for row in pixels.chunks_mut(stride).take(side) {
            row[..side].fill(value);
        }
        return;
    }
    match side {
        8 => transform(block, &below, steps, pixels, stride, eight, 0),
        4 => transform(block, &below, steps, pixels, stride, four, 1),
        _ => transform(block, &below, steps, pixels, stride, two, 2),
    }
}

/// Transforms columns and then rows. `line` transforms one of them, whose values then have
/// `more_bits` bits more than those of the factors.
#[inline]
fn transform<const SIDE: usize>(
    block: &Block,
    below: &[i16; 8],
    steps: &[u16; 64],
    pixels: &mut [u8],
    stride: usize,
    line: impl Fn(&[Number; 8]) -> [Number; SIDE],
    more_bits: usize,
) {
    let mut columns = [[Wrapping(0); 8]; SIDE];
    for x in 0..8 {
        if below[x] == 0 {
            let value = dequantized(block, steps, x) << FIRST_PASS_BITS;
            for row in &mut columns {
                row[x] = value;
            }
            continue;
        }
        let mut column = [Wrapping(0); 8];
        for (y, value) in column.iter_mut().enumerate() {
            *value = dequantized(block, steps, y * 8 + x);
        }
        for (row, value) in columns.iter_mut().zip(line(&column)) {
            row[x] = rounded(value, FACTOR_BITS - FIRST_PASS_BITS + more_bits);
        }
    }
    for (row, pixels) in columns.iter().zip(pixels.chunks_mut(stride)) {
        for (value, pixel_of_row) in line(row).into_iter().zip(pixels) {
            *pixel_of_row = pixel(rounded(value, FACTOR_BITS + FIRST_PASS_BITS + 3 + more_bits));
        }
    }
}

#[inline]
fn dequantized(block: &Block, steps: &[u16; 64], at: usize) -> Number {
    Wrapping(i32::from(block[at])) * Wrapping(i32::from(steps[at]))
}

#[inline]
fn rounded(value: Number, bits: usize) -> Number {
    (value + (Wrapping(1) << (bits - 1))) >> bits
}

#[inline]
#[expect(clippy::cast_sign_loss, reason = "it is clamped")]
fn pixel(Wrapping(value): Number) -> u8 {
    value.saturating_add(128).clamp(0, 255) as u8
}

#[inline]
fn eight(c: &[Number; 8]) -> [Number; 8] {
    let shared = (c[2] + c[6]) * factor(0.541_196_100);
    let (low, high) = (shared - c[6] * factor(1.847_759_065), shared + c[2] * factor(0.765_366_865));
    let (sum, difference) = ((c[0] + c[4]) << FACTOR_BITS, (c[0] - c[4]) << FACTOR_BITS);
    let even = [sum + high, difference + low, difference - low, sum - high];

    let shared = (c[7] + c[3] + c[5] + c[1]) * factor(1.175_875_602);
    let z1 = (c[7] + c[1]) * factor(-0.899_976_223);
    let z2 = (c[5] + c[3]) * factor(-2.562_915_447);
    let z3 = (c[7] + c[3]) * factor(-1.961_570_560) + shared;
    let z4 = (c[5] + c[1]) * factor(-0.390_180_644) + shared;
    let odd = [
        c[1] * factor(1.501_321_110) + z1 + z4,
        c[3] * factor(3.072_711_026) + z2 + z3,
        c[5] * factor(2.053_119_869) + z2 + z4,
        c[7] * factor(0.298_631_336) + z1 + z3,
    ];
    [
        even[0] + odd[0],
        even[1] + odd[1],
        even[2] + odd[2],
        even[3] + odd[3],
        even[3] - odd[3],
        even[2] - odd[2],
        even[1] - odd[1],
        even[0] - odd[0],
    ]
}

#[inline]
fn four(c: &[Number; 8]) -> [Number; 4] {
    let first = c[0] << (FACTOR_BITS + 1);
    let second = c[2] * factor(1.847_759_065) + c[6] * factor(-0.765_366_865);
    let (sum, difference) = (first + second, first - second);
    let inner = c[7] * factor(-0.211_164_243)
        + c[5] * factor(1.451_774_981)
        + c[3] * factor(-2.172_734_803)
        + c[1] * factor(1.061_594_337);
    let outer = c[7] * factor(-0.509_795_579)
        + c[5] * factor(-0.601_344_887)
        + c[3] * factor(0.899_976_223)
        + c[1] * factor(2.562_915_447);
    [sum + outer, difference + inner, difference - inner, sum - outer]
}

#[inline]
fn two(c: &[Number; 8]) -> [Number; 2] {
    let first = c[0] << (FACTOR_BITS + 2);
    let second = c[7] * factor(-0.720_959_822)
        + c[5] * factor(0.850_430_095)
        + c[3] * factor(-1.272_758_580)
        + c[1] * factor(3.624_509_785);
    [first + second, first - second]
}
