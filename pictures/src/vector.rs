//! The vector of a picture, by which a vector index finds the pictures that look alike.
//!
//! It has two descriptors of MPEG-7 ([Manjunath et al. 2001](https://doi.org/10.1109/76.927424)) with few dimensions,
//! which are changed so that another version of a picture, such as a part of it, is nearer than another picture:
//!
//! | elements | descriptor | what it is |
//! |---|---|---|
//! | 0–19 | color layout | the lowest frequencies of the luma, without the mean |
//! | 20–39 | color layout | the lowest frequencies of Cb, and those of Cr |
//! | 40–63 | edge histogram | the strength of vertical, horizontal and diagonal edges in eight regions |
//!
//! - **Mirroring** negates the horizontal frequencies that are odd, so only their magnitude counts. Each region of edges
//!   is a pair of regions at the same distance from the middle, and both diagonals are one direction. So a mirrored
//!   picture has the same vector, except for rounding.
//! - **Brightness and contrast**: the luma is divided by its standard deviation, and Cb and Cr by the mean luma.
//! - **Cropping** takes the border away. So pixels weigh less towards it, and the square root, as in the
//!   [Hellinger distance](https://en.wikipedia.org/wiki/Hellinger_distance), keeps a change of one large value from
//!   outweighing many small ones.
//! - **Size and JPEG quality** change little of a picture of 32 × 32 pixels.
//!
//! The distance is EUCLIDEAN. A picture without colors and edges has a vector near zero, for which COSINE has no meaning,
//! and with `DOT_PRODUCT` vivid pictures would be near to everything. Elements are whole numbers, which take two or
//! three bytes each in an item.
//!
//! `measure-pictures similarity` measures all of this. The weights were chosen by it, and others between a half and
//! double of them find almost as much.

use std::f32::consts::{PI, SQRT_2};

use crate::bitmap::Picture;
use crate::resize;

/// The number of elements of a vector.
pub const DIMENSIONS: usize = 64;

/// The sides of the picture that the vector is computed from, in pixels.
const SIDE: usize = 32;
/// The number of pixels that the vector is computed from.
const PIXELS: usize = SIDE * SIDE;

/// The maximum sum of the horizontal and the vertical frequency, which leaves 20 coefficients of luma besides the mean.
const LUMA_ORDER: usize = 5;
/// The same for Cb and Cr, which leaves 10 coefficients of each.
const CHROMA_ORDER: usize = 3;
/// The number of rows of regions of the edge histogram. There are as many columns, of which two are one region.
const REGION_ROWS: usize = 4;

const LUMA_WEIGHT: f32 = 50.0;
const CHROMA_WEIGHT: f32 = 120.0;
const EDGE_WEIGHT: f32 = 40.0;

/// A divisor that is smaller would turn the noise of a dark or an even picture into contrast. Of 255.
const MIN_DIVISOR: f32 = 16.0;

/// One value for each pixel, by rows.
type Plane = [f32; PIXELS];

/// Returns the vector of the small size of a picture.
pub(crate) fn of(small: &Picture) -> [i8; DIMENSIONS] {
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

    let luma_layout = frequencies(&luma, &window, LUMA_ORDER).skip(1).map(|value| value * LUMA_WEIGHT);
    let chroma_layout = [&blue, &red].into_iter().flat_map(|chroma| frequencies(chroma, &window, CHROMA_ORDER));
    let chroma_layout = chroma_layout.map(|value| value.signum() * value.abs().sqrt() * CHROMA_WEIGHT);
    let edges = edges(&luma, &window).into_iter().map(|strength| strength.sqrt() * EDGE_WEIGHT);

    let mut vector = [0; DIMENSIONS];
    for (element, value) in vector.iter_mut().zip(luma_layout.chain(chroma_layout).chain(edges)) {
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

/// Returns the weights of the pixels, whose sum is 1. They decrease as a parabola from the middle to zero at the border.
fn window() -> Plane {
    let across = positions().map(|position| 1.0 - (2.0 * position - 1.0).powi(2));
    let total: f32 = across.iter().sum();
    plane(|x, y| across[x] / total * across[y] / total)
}

/// Returns the middle of each column or row of pixels, where the width and the height of the picture are 1.
#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn positions() -> [f32; SIDE] {
    std::array::from_fn(|at| (at as f32 + 0.5) / SIDE as f32)
}

fn plane(value: impl Fn(usize, usize) -> f32) -> Plane {
    std::array::from_fn(|at| value(at % SIDE, at / SIDE))
}

/// Returns the coefficients of a discrete cosine transform up to an order, beginning with the mean.
fn frequencies(values: &Plane, window: &Plane, order: usize) -> impl Iterator<Item = f32> {
    let weighted = plane(|x, y| values[y * SIDE + x] * window[y * SIDE + x]);
    let pairs =
        (0..=order).flat_map(move |vertical| (0..=order - vertical).map(move |horizontal| (horizontal, vertical)));
    pairs.map(move |(horizontal, vertical)| {
        let (columns, rows) = (cosine(horizontal), cosine(vertical));
        let sum: f32 = (0..PIXELS).map(|at| weighted[at] * columns[at % SIDE] * rows[at / SIDE]).sum();
        if horizontal % 2 == 1 { sum.abs() } else { sum }
    })
}

/// Returns a cosine with this number of half waves, whose mean square is 1.
#[expect(clippy::cast_precision_loss, reason = "the frequency is small")]
fn cosine(frequency: usize) -> [f32; SIDE] {
    let scale = if frequency == 0 { 1.0 } else { SQRT_2 };
    positions().map(|position| (PI * frequency as f32 * position).cos() * scale)
}

/// Returns the mean strength of vertical, horizontal and diagonal edges in each region.
fn edges(luma: &Plane, window: &Plane) -> [f32; REGION_ROWS * REGION_ROWS / 2 * 3] {
    let mut strengths = [0.0; REGION_ROWS * REGION_ROWS / 2 * 3];
    let mut weights = [0.0; REGION_ROWS * REGION_ROWS / 2];
    // Each square of four pixels has a gradient.
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let at = y * SIDE + x;
            let [a, b, c, d] = [luma[at], luma[at + 1], luma[at + SIDE], luma[at + SIDE + 1]];
            let (across, down) = (((b + d - a - c) / 2.0).powi(2), ((c + d - a - b) / 2.0).powi(2));
            let region =
                y * REGION_ROWS / (SIDE - 1) * (REGION_ROWS / 2) + x.min(SIDE - 2 - x) * REGION_ROWS / (SIDE - 1);
            weights[region] += window[at];
            // The three shares add up to the length of the gradient.
            let divisor = ((across + down) * (across + down).sqrt()).max(f32::MIN_POSITIVE);
            for (direction, share) in [across * across, down * down, 2.0 * across * down].into_iter().enumerate() {
                strengths[region * 3 + direction] += window[at] * share / divisor;
            }
        }
    }
    for (region, weight) in weights.into_iter().enumerate() {
        for strength in &mut strengths[region * 3..][..3] {
            *strength /= weight;
        }
    }
    strengths
}
