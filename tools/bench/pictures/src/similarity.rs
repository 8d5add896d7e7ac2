//! Measures how well the vector of a picture finds variants of it: `cargo run --release --bin
//! measure-pictures similarity`.
//!
//! A color histogram and a hash of a DCT, which are the usual simple methods, are measured beside
//! it. The weights of the vector were chosen with the scenes of the seeds 0, 3 and 4. Other seeds
//! draw scenes that it has not been fitted to.

use std::f32::consts::PI;

use anyhow::{Context, Result};
use fastrand::Rng;
use jpeg_encoder::ColorType;
use pictures::{DIMENSIONS, Processed};
use terminal::println;

use crate::scenes::{self, Scene};
use crate::uploads::files;

/// The kinds of variants of a scene. The scene itself comes before them.
const VARIANTS: [&str; 5] = ["crop", "brightness", "scale", "quality", "mirror"];
/// The number of pictures of each scene.
const PICTURES: usize = 1 + VARIANTS.len();
/// The sides of the picture that the hash is computed from, and of the part of its DCT that is
/// hashed.
const HASH_SIDE: usize = 32;
const HASH_FREQUENCIES: usize = 8;
/// The number of ranges of colors of the histogram, four of each channel.
const BINS: usize = 4 * 4 * 4;

/// A picture as each of the methods describes it.
struct Described {
    vector: [i8; DIMENSIONS],
    histogram: [f32; BINS],
    hash: u64,
}

/// A way to compare two pictures.
struct Method {
    name: &'static str,
    dimensions: usize,
    distance: fn(&Described, &Described) -> f32,
}

const METHODS: [Method; 3] = [
    Method {
        name: "our vector, Euclidean",
        dimensions: DIMENSIONS,
        distance: |a, b| vector_distance(&a.vector, &b.vector),
    },
    Method { name: "histogram of 4 × 4 × 4 colors, Manhattan", dimensions: BINS, distance: histogram_distance },
    Method { name: "hash of a DCT, bits that differ", dimensions: 64, distance: hash_distance },
];

/// Draws all scenes and their variants, and prints how many variants each method finds. Each seed
/// draws other scenes.
pub(crate) fn measure(seed: u32) -> Result<()> {
    // Each part of a scene takes a seed of its own.
    let seed = u64::from(seed) * 1000;
    let mut described = Vec::with_capacity(scenes::SCENES * PICTURES);
    let mut loss = 0.0_f32;
    for (index, scene) in scenes::all(seed).enumerate() {
        for file in uploads(&scene, seed + index as u64)? {
            let Processed { vector, small, .. } = pictures::process(&file)?;
            loss = loss.max(vector_distance(&vector, &pictures::vector(&small)?));
            let small = decoded(&small)?;
            described.push(Described { vector, histogram: histogram(&small), hash: hash(&small) });
        }
    }
    println!(
        "Variants of {} scenes among the {} nearest pictures of {}:\n",
        scenes::SCENES,
        VARIANTS.len(),
        described.len() - 1
    );
    println!("| method | dimensions | recall | {} |", VARIANTS.join(" | "));
    println!("|---|--:|--:|{}", "--:|".repeat(VARIANTS.len()));
    for Method { name, dimensions, distance } in METHODS {
        let found = found(&described, distance);
        let recall = share(found.iter().sum(), scenes::SCENES * VARIANTS.len());
        let shares = found.map(|found| format!("{:.3}", share(found, scenes::SCENES)));
        println!("| {name} | {dimensions} | {recall:.3} | {} |", shares.join(" | "));
    }
    let bytes: usize = described.iter().map(|picture| stored_bytes(&picture.vector)).sum();
    println!("\nAs a list of numbers, a vector has {} bytes on average.", bytes / described.len());
    println!("The vector of a stored small JPEG differs by a distance of at most {loss:.1}.");
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "the counts are small")]
fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

/// Returns how many variants of each kind are among the nearest pictures of their scenes. As many
/// pictures are taken as there are kinds, so all variants can be found.
fn found(described: &[Described], distance: fn(&Described, &Described) -> f32) -> [usize; VARIANTS.len()] {
    let mut found = [0; VARIANTS.len()];
    for scene in (0..described.len()).step_by(PICTURES) {
        let others = (0..described.len()).filter(|&other| other != scene);
        let mut others: Vec<_> = others.map(|other| (distance(&described[scene], &described[other]), other)).collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        for &(_, near) in &others[..VARIANTS.len()] {
            if near / PICTURES == scene / PICTURES {
                found[near % PICTURES - 1] += 1;
            }
        }
    }
    found
}

/// Returns the files of a scene and of its variants.
fn uploads(scene: &Scene, seed: u64) -> Result<[Vec<u8>; PICTURES]> {
    let mut random = Rng::with_seed(seed);
    let jpeg = |scene: &Scene, quality| -> Result<_> {
        let (width, height) = (u16::try_from(scene.width)?, u16::try_from(scene.height)?);
        Ok(files::jpeg_with(width, height, ColorType::Rgb, &scene.pixels, |encoder| encoder.set_quality(quality)))
    };
    Ok([
        jpeg(scene, 90)?,
        jpeg(&cropped(scene, &mut random), 90)?,
        jpeg(&brightened(scene, &mut random), 90)?,
        jpeg(&halved(scene), 90)?,
        jpeg(scene, 30)?,
        jpeg(&mirrored(scene), 90)?,
    ])
}

/// Returns a picture of this size. `at` gives the column and the row of the scene for those of the
/// picture.
fn rearranged(scene: &Scene, width: usize, height: usize, at: impl Fn(usize, usize) -> (usize, usize)) -> Scene {
    let mut pixels = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            let (column, row) = at(x, y);
            pixels.extend_from_slice(&scene.pixels[(row * scene.width + column) * 3..][..3]);
        }
    }
    Scene { width, height, pixels }
}

/// Returns 85 to 90 % of the width and of the height, from any place.
fn cropped(scene: &Scene, random: &mut Rng) -> Scene {
    let mut part = |side: usize| {
        let left = side * random.usize(850..900) / 1000;
        (left, random.usize(0..=side - left))
    };
    let ((width, left), (height, top)) = (part(scene.width), part(scene.height));
    rearranged(scene, width, height, |x, y| (left + x, top + y))
}

fn mirrored(scene: &Scene) -> Scene {
    rearranged(scene, scene.width, scene.height, |x, y| (scene.width - 1 - x, y))
}

/// Returns the scene with 20 to 25 % more or less light.
fn brightened(scene: &Scene, random: &mut Rng) -> Scene {
    let change = random.u32(200..=250);
    let factor = if random.bool() { 1000 + change } else { 1000 - change };
    let brightened = |&value: &u8| u8::try_from(u32::from(value) * factor / 1000).unwrap_or(u8::MAX);
    Scene { pixels: scene.pixels.iter().map(brightened).collect(), ..*scene }
}

/// Returns the scene at half of its width and height.
fn halved(scene: &Scene) -> Scene {
    let (width, height) = (scene.width / 2, scene.height / 2);
    let mut pixels = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let value = |dx, dy| u16::from(scene.pixels[((2 * y + dy) * scene.width + 2 * x + dx) * 3 + channel]);
                let average = (value(0, 0) + value(1, 0) + value(0, 1) + value(1, 1) + 2) / 4;
                pixels.push(u8::try_from(average).expect("the average of bytes is a byte"));
            }
        }
    }
    Scene { width, height, pixels }
}

fn decoded(jpeg: &[u8]) -> Result<Scene> {
    let mut decoder = jpeg_decoder::Decoder::new(jpeg);
    let pixels = decoder.decode()?;
    let info = decoder.info().context("a decoded JPEG has a header")?;
    Ok(Scene { width: info.width.into(), height: info.height.into(), pixels })
}

/// Returns the size of a list of these numbers in an item
/// ([DynamoDB](https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html)):
/// a byte for the number, one for two digits and one for a minus, one for each element, and three
/// for the list.
fn stored_bytes(vector: &[i8]) -> usize {
    let digits = |element: &i8| element.unsigned_abs().to_string().trim_end_matches('0').len();
    3 + vector.iter().map(|element| 2 + digits(element).div_ceil(2) + usize::from(*element < 0)).sum::<usize>()
}

fn vector_distance(a: &[i8], b: &[i8]) -> f32 {
    a.iter().zip(b).map(|(&a, &b)| (f32::from(a) - f32::from(b)).powi(2)).sum::<f32>().sqrt()
}

/// Returns the share of the pixels in each range of red, green and blue, of which each channel has
/// four.
fn histogram(picture: &Scene) -> [f32; BINS] {
    let mut histogram = [0.0; BINS];
    for rgb in picture.pixels.chunks_exact(3) {
        let bin = rgb.iter().fold(0, |bin, value| bin * 4 + usize::from(value / 64));
        histogram[bin] += 1.0;
    }
    let pixels: f32 = histogram.iter().sum();
    histogram.map(|count| count / pixels)
}

fn histogram_distance(a: &Described, b: &Described) -> f32 {
    a.histogram.iter().zip(&b.histogram).map(|(a, b)| (a - b).abs()).sum()
}

/// Returns the hash that is known as
/// [pHash](https://www.hackerfactor.com/blog/index.php?/archives/432-Looks-Like-It.html): for each
/// of the lowest frequencies of the luma, whether it is above the median.
#[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
fn hash(picture: &Scene) -> u64 {
    let mut luma = [[0.0; HASH_SIDE]; HASH_SIDE];
    for (y, row) in luma.iter_mut().enumerate() {
        for (x, mean) in row.iter_mut().enumerate() {
            let part = |at: usize, side: usize| at * side / HASH_SIDE..((at + 1) * side).div_ceil(HASH_SIDE);
            let (columns, rows) = (part(x, picture.width), part(y, picture.height));
            let pixels = (columns.len() * rows.len()) as f32;
            let values = rows.flat_map(|row| columns.clone().map(move |column| (row * picture.width + column) * 3));
            *mean = values.map(|at| luma_of(&picture.pixels[at..at + 3])).sum::<f32>() / pixels;
        }
    }
    let wave = |frequency: usize, at: usize| (PI * frequency as f32 * (at as f32 + 0.5) / HASH_SIDE as f32).cos();
    let coefficient = |index: usize| -> f32 {
        let (across, down) = (index % HASH_FREQUENCIES, index / HASH_FREQUENCIES);
        let rows = luma.iter().enumerate();
        rows.map(|(y, row)| {
            let sum: f32 = row.iter().enumerate().map(|(x, value)| value * wave(across, x)).sum();
            sum * wave(down, y)
        })
        .sum()
    };
    let coefficients: [f32; HASH_FREQUENCIES * HASH_FREQUENCIES] = std::array::from_fn(coefficient);
    // The first one is the mean of the picture.
    let mut sorted = coefficients[1..].to_vec();
    sorted.sort_by(f32::total_cmp);
    let median = sorted[sorted.len() / 2];
    coefficients.iter().fold(0, |hash, &value| hash << 1 | u64::from(value > median))
}

fn luma_of(rgb: &[u8]) -> f32 {
    0.299 * f32::from(rgb[0]) + 0.587 * f32::from(rgb[1]) + 0.114 * f32::from(rgb[2])
}

#[expect(clippy::cast_precision_loss, reason = "there are 64 bits")]
fn hash_distance(a: &Described, b: &Described) -> f32 {
    (a.hash ^ b.hash).count_ones() as f32
}
