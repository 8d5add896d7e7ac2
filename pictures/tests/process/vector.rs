//! Tests that the vector of a picture ignores how the picture was changed, and tells it from
//! others.

use jpeg_encoder::ColorType as Jpeg;
use pictures::{DIMENSIONS, Rejection, process, vector};
use png::{BitDepth, ColorType as Png};

use crate::files::{self, jpeg_with, png};

type Vector = [i8; DIMENSIONS];

const WIDTH: u32 = 400;
const HEIGHT: u32 = 300;

/// The vector of [`boat`]. If another one is right, the vectors that are stored have to be computed
/// again.
const PINNED: Vector = [
    10, -2, 13, -11, 19, 6, -12, 8, -14, 11, 9, -17, 10, 11, 45, 12, -29, 17, 28, 2, -18, -16, 15, -23, -37, 3, 24, 15,
    -5, 9, 4, 19, 12, -9, 10, -13, -6, 8, -11, 10, -12, 17, 2, 15, 3, -15, 9, -12, 0, 11, 0, 0, 11, 0, 9, 22, 6, 11,
    21, 7, 19, 16, 10, 17, 18, 9, 1, 5, 3, 1, 5, 3,
];

/// Returns the color at a point of a sea with a sail, where the width and the height of the picture
/// are 1.
fn sea(x: f32, y: f32, sail: f32) -> [f32; 3] {
    if (x - sail).abs() < (y - 0.3) / 3.0 && y < 0.7 {
        [230.0, 220.0, 200.0]
    } else if y < 0.5 {
        [90.0 + 160.0 * y, 120.0 + 120.0 * y, 210.0]
    } else {
        [20.0 + 40.0 * x, 80.0 - 40.0 * (y - 0.5), 90.0]
    }
}

fn boat(x: f32, y: f32) -> [f32; 3] {
    sea(x, y, 0.3)
}

/// Returns the pixels of a picture.
#[expect(clippy::cast_precision_loss, reason = "the sides are small")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn pixels(width: u32, height: u32, color: impl Fn(f32, f32) -> [f32; 3]) -> Vec<u8> {
    let part = |at: u32, side: u32| (at as f32 + 0.5) / side as f32;
    let points = (0..height).flat_map(|y| (0..width).map(move |x| (part(x, width), part(y, height))));
    points.flat_map(|(x, y)| color(x, y)).map(|value| value as u8).collect()
}

fn file(width: u32, height: u32, color: impl Fn(f32, f32) -> [f32; 3]) -> Vec<u8> {
    png((width, height), Png::Rgb, BitDepth::Eight, &pixels(width, height, color), &[])
}

fn vector_of(color: impl Fn(f32, f32) -> [f32; 3]) -> Vector {
    process(&file(WIDTH, HEIGHT, color)).unwrap().vector
}

fn distance(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum::<f64>().sqrt()
}

/// Asserts that no element differs by more than rounding.
fn assert_equal(a: &Vector, b: &Vector) {
    assert!(a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1), "{a:?} and {b:?}");
}

#[test]
fn a_mirrored_picture_has_the_same_vector() {
    assert_equal(&vector_of(boat), &vector_of(|x, y| boat(1.0 - x, y)));
}

#[test]
fn a_variant_is_nearer_than_a_similar_scene() {
    let original = vector_of(boat);
    let similar = distance(&original, &vector_of(|x, y| sea(x, y, 0.6)));
    let pixels = pixels(WIDTH, HEIGHT, boat);
    let coarse = jpeg_with(400, 300, Jpeg::Rgb, &pixels, |encoder| encoder.set_quality(30));
    for (name, variant) in [
        ("darker", vector_of(|x, y| boat(x, y).map(|value| value * 0.75))),
        ("brighter", vector_of(|x, y| boat(x, y).map(|value| value * 1.2))),
        ("cropped", vector_of(|x, y| boat(0.02 + x * 0.9, 0.08 + y * 0.9))),
        ("smaller", vector(&file(WIDTH / 2, HEIGHT / 2, boat)).unwrap()),
        ("coarse", vector(&coarse).unwrap()),
    ] {
        let distance = distance(&original, &variant);
        assert!(distance < similar / 2.0, "{name}: {distance} instead of less than half of {similar}");
    }
}

#[test]
fn a_picture_always_has_the_same_vector() {
    let file = file(WIDTH, HEIGHT, boat);
    let processed = process(&file).unwrap();
    assert_equal(&processed.vector, &PINNED);
    assert_eq!(vector(&file), Ok(processed.vector));
}

#[test]
fn the_small_size_has_nearly_the_vector_of_the_upload() {
    let processed = process(&file(WIDTH, HEIGHT, boat)).unwrap();
    let similar = distance(&processed.vector, &vector_of(|x, y| sea(x, y, 0.6)));
    let distance = distance(&processed.vector, &vector(&processed.small).unwrap());
    assert!(distance < similar / 10.0, "{distance} instead of less than a tenth of {similar}");
    assert_eq!(vector(b"no picture"), Err(Rejection::UnknownFormat));
}

#[test]
fn pictures_of_one_color_differ_by_their_colors() {
    let [red, green, blue, gray] =
        [files::RED, files::GREEN, files::BLUE, files::GRAY].map(|color| vector_of(move |_, _| color.map(f32::from)));
    for (a, b) in [(red, green), (red, blue), (green, blue), (red, gray), (green, gray), (blue, gray)] {
        assert!(distance(&a, &b) > 50.0, "{a:?} and {b:?}");
    }
    assert_equal(&gray, &[0; DIMENSIONS]);
}
