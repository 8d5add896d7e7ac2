//! The vector of a picture, by which a vector index finds the pictures that look alike.
//!
//! It has two descriptors of MPEG-7 ([Manjunath et al. 2001](https://doi.org/10.1109/76.927424))
//! with few dimensions, which are changed so that another version of a picture, such as a part of
//! it, is nearer than another picture:
//!
//! | elements | descriptor | what it is |
//! |---|---|---|
//! | 0–13 | color layout | the lowest frequencies of the luma, without the mean |
//! | 14–33 | color layout | the lowest frequencies of Cb, and those of Cr |
//! | 34–47 | color layout | the directions, to the left or to the right, of those before that have one |
//! | 48–71 | edge histogram | the strength of vertical, horizontal and diagonal edges in eight regions |
//!
//! - **Mirroring** negates the horizontal frequencies that are odd. Of them, the first two groups
//!   have the magnitude, and the third group has the value, negated if the picture is darker on the
//!   left. Each region of edges is a pair of regions at the same distance from the middle, and both
//!   diagonals are one direction. So a mirrored picture has the same vector, except for rounding.
//! - **Brightness and contrast**: the luma is divided by its standard deviation, and Cb and Cr by
//!   the mean luma.
//! - **Cropping** takes the border away, so pixels weigh less towards it. It changes large values
//!   more than small ones, so all of them are square roots, as in the [Hellinger
//!   distance](https://en.wikipedia.org/wiki/Hellinger_distance).
//! - **Size and JPEG quality** change little of a picture of 32 × 32 pixels.
//!
//! The distance function is `EUCLIDEAN`. The vector of an even gray picture is zero, for which
//! `COSINE` has no meaning, and with `DOT_PRODUCT` a vivid picture would be near to every other
//! one. The elements are small whole numbers: in an item, each takes two or three bytes and one for
//! its place in the list.
//!
//! The weights were chosen by [the recall of
//! variants](../../docs/numbers.md#pictures). The half or the double of any of them
//! costs less than 0.02 of the recall.

use std::f32::consts::{PI, SQRT_2};

use crate::bitmap::Picture;
use crate::resize;

/// The number of elements of a vector.
pub const DIMENSIONS: usize = 72;

/// The sides of the picture that the vector is computed from, in pixels.
const SIDE: usize = 32;
/// The number of pixels that the vector is computed from.
const PIXELS: usize = SIDE * SIDE;

/// The maximum sum of the horizontal and the vertical frequency, which leaves 14 coefficients of
/// luma besides the mean.
const LUMA_ORDER: usize = 4;
/// The same for Cb and Cr, which leaves 10 coefficients of each.
const CHROMA_ORDER: usize = 3;
/// The number of rows of regions of the edge histogram. There are as many columns, of which two are
/// one region.
const REGION_ROWS: usize = 4;
const REGIONS: usize = REGION_ROWS * REGION_ROWS / 2;
/// Vertical, horizontal and diagonal.
const DIRECTIONS: usize = 3;

const LUMA_WEIGHT: f32 = 30.0;
const CHROMA_WEIGHT: f32 = 120.0;
const EDGE_WEIGHT: f32 = 50.0;

/// The difference between the left and the right from which on it is clear which side is darker.
/// Below, the directions count less, because a variant of the picture may have the opposite
/// difference.
const CLEAR_DIFFERENCE: f32 = 0.2;
/// A divisor that is smaller would turn the noise of a dark or an even picture into contrast. Of
/// 255.
const MIN_DIVISOR: f32 = 16.0;

/// One value for each pixel, by rows.
type Plane = [f32; PIXELS];

/// Returns the vector of the small size of a picture.
pub(crate) fn from_picture(small: &Picture) -> [i8; DIMENSIONS] {
    let side = u32::try_from(SIDE).expect("the side is small");
    let tiny = resize::to_size(small, side, side);
    let window = window();
    let [mut luma, mut blue, mut red] = ycbcr(&tiny.pixels);
    let average = |value: &dyn Fn(usize) -> f32| (0..PIXELS).map(|at| window[at] * value(at)).sum::<f32>();
    let mean = average(&|at| luma[at]);
    let deviation = average(&|at| (luma[at] - mean).powi(2)).sqrt();
    luma = luma.map(|value| (value - mean) / (deviation + MIN_DIVISOR));
    for chroma in [&mut blue, &mut red] {
        *chroma = chroma.map(|value| value / (mean + MIN_DIVISOR));
    }

    let mut layout = frequencies(&luma, &window, LUMA_ORDER, LUMA_WEIGHT);
    // The mean is zero. The next one is the difference between the left and the right.
    layout.remove(0);
    let direction = (layout[0].value / LUMA_WEIGHT / CLEAR_DIFFERENCE).clamp(-1.0, 1.0);
    for chroma in [&blue, &red] {
        layout.extend(frequencies(chroma, &window, CHROMA_ORDER, CHROMA_WEIGHT));
    }
    let magnitudes = layout.iter().map(|Frequency { is_odd, value }| if *is_odd { value.abs() } else { *value });
    let directions = layout.iter().filter(|frequency| frequency.is_odd).map(|odd| odd.value * direction);
    let edges = edges(&luma, &window).into_iter().map(|strength| strength.sqrt() * EDGE_WEIGHT);

    let mut vector = [0; DIMENSIONS];
    for (element, value) in vector.iter_mut().zip(magnitudes.chain(directions).chain(edges)) {
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let rounded = value.round() as i8;
        *element = rounded;
    }
    vector
}

/// Returns the luma of the pixels between 0 and 255, and Cb and Cr around 0, as in
/// [JPEG](https://www.itu.int/rec/T-REC-T.871).
fn ycbcr(pixels: &[u8]) -> [Plane; 3] {
    let mut planes = [[0.0; PIXELS]; 3];
    for (at, rgb) in pixels.chunks_exact(3).enumerate() {
        let [red, green, blue] = [0, 1, 2].map(|channel| f32::from(rgb[channel]));
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue;
        planes[0][at] = luma;
        planes[1][at] = (blue - luma) / 1.772;
        planes[2][at] = (red - luma) / 1.402;
    }
    planes
}

/// Returns the weights of the pixels, whose sum is 1. They decrease as a parabola from the middle
/// to zero at the border.
fn window() -> Plane {
    let across = positions().map(|position| 1.0 - (2.0 * position - 1.0).powi(2));
    let total: f32 = across.iter().sum();
    plane(|x, y| across[x] / total * across[y] / total)
}

/// Returns the middle of each column or row of pixels, where the width and the height of the
/// picture are 1.
#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn positions() -> [f32; SIDE] {
    std::array::from_fn(|at| (at as f32 + 0.5) / SIDE as f32)
}

fn plane(value: impl Fn(usize, usize) -> f32) -> Plane {
    std::array::from_fn(|at| value(at % SIDE, at / SIDE))
}

/// A coefficient of a discrete cosine transform.
struct Frequency {
    /// Its number of horizontal half waves is odd, so a mirrored picture has the opposite value.
    is_odd: bool,
    value: f32,
}

/// Returns the coefficients up to an order, beginning with the mean: their square roots with their
/// signs, weighted.
fn frequencies(values: &Plane, window: &Plane, order: usize, weight: f32) -> Vec<Frequency> {
    let waves: Vec<_> = (0..=order).map(cosine).collect();
    let mut frequencies = Vec::new();
    for (down, rows) in waves.iter().enumerate() {
        for (across, columns) in waves[..=order - down].iter().enumerate() {
            let value = |at: usize| values[at] * window[at] * columns[at % SIDE] * rows[at / SIDE];
            let sum: f32 = (0..PIXELS).map(value).sum();
            frequencies.push(Frequency { is_odd: across % 2 == 1, value: sum.signum() * sum.abs().sqrt() * weight });
        }
    }
    frequencies
}

/// Returns a cosine with this number of half waves, whose mean square is 1.
#[expect(clippy::cast_precision_loss, reason = "the frequency is small")]
fn cosine(frequency: usize) -> [f32; SIDE] {
    let scale = if frequency == 0 { 1.0 } else { SQRT_2 };
    positions().map(|position| (PI * frequency as f32 * position).cos() * scale)
}

/// Returns the mean strength of vertical, horizontal and diagonal edges in each region.
fn edges(luma: &Plane, window: &Plane) -> [f32; REGIONS * DIRECTIONS] {
    let mut strengths = [0.0; REGIONS * DIRECTIONS];
    let mut weights = [0.0; REGIONS];
    // Each square of four pixels has a gradient.
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let at = y * SIDE + x;
            let [a, b, c, d] = [luma[at], luma[at + 1], luma[at + SIDE], luma[at + SIDE + 1]];
            let (across, down) = (((b + d - a - c) / 2.0).powi(2), ((c + d - a - b) / 2.0).powi(2));
            let region =
                y * REGION_ROWS / (SIDE - 1) * (REGION_ROWS / 2) + x.min(SIDE - 2 - x) * REGION_ROWS / (SIDE - 1);
            let weight: f32 = [at, at + 1, at + SIDE, at + SIDE + 1].map(|at| window[at]).iter().sum();
            weights[region] += weight;
            // The three shares add up to the length of the gradient.
            let divisor = ((across + down) * (across + down).sqrt()).max(f32::MIN_POSITIVE);
            for (direction, share) in [across * across, down * down, 2.0 * across * down].into_iter().enumerate() {
                strengths[region * DIRECTIONS + direction] += weight * share / divisor;
            }
        }
    }
    for (region, weight) in weights.into_iter().enumerate() {
        for strength in &mut strengths[region * DIRECTIONS..][..DIRECTIONS] {
            *strength /= weight;
        }
    }
    strengths
}
