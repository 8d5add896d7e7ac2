//! Tests of `process` on files that are made by code: each format and its variants, colors,
//! orientation, metadata, vectors, and hostile files; and hundreds of variants of each format.

#![allow(clippy::unwrap_used)]

#[path = "../files/mod.rs"]
mod files;

mod colors;
mod formats;
mod hostile;
mod metadata;
mod orientation;
mod peers;
mod sizes;
mod variants;
mod vector;

use pictures::{Processed, process};

/// An image that was decoded again.
struct Shown {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Shown {
    fn decode(jpeg: &[u8]) -> Self {
        let mut decoder = jpeg_decoder::Decoder::new(jpeg);
        let pixels = decoder.decode().unwrap();
        let info = decoder.info().unwrap();
        assert_eq!(info.pixel_format, jpeg_decoder::PixelFormat::RGB24);
        assert_eq!(info.coding_process, jpeg_decoder::CodingProcess::DctSequential);
        Self { width: info.width.into(), height: info.height.into(), pixels }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[(y * self.width + x) * 3..][..3].try_into().unwrap()
    }
}

/// Processes a file, and checks that the sizes are as they say.
fn processed(file: &[u8]) -> (Processed, Shown) {
    let processed = process(file).expect("the file is accepted");
    let large = Shown::decode(processed.largest());
    assert_eq!((large.width, large.height), (processed.width as usize, processed.height as usize));
    for (jpeg, max_width, next_smaller) in
        [(Some(&processed.small), 440, 0), (processed.medium.as_ref(), 800, 440), (processed.large.as_ref(), 1600, 800)]
    {
        let width = jpeg.map(|jpeg| Shown::decode(jpeg).width);
        assert_eq!(width, (large.width > next_smaller).then_some(large.width.min(max_width)));
    }
    assert!((20..=30).contains(&processed.blurhash.len()), "{}", processed.blurhash);
    (processed, large)
}

/// Asserts that a picture has this color everywhere.
fn assert_plain(shown: &Shown, color: [u8; 3], tolerance: u8) {
    for pixel in shown.pixels.chunks_exact(3) {
        assert_near(pixel.try_into().unwrap(), color, tolerance);
    }
}

fn assert_near(pixel: [u8; 3], color: [u8; 3], tolerance: u8) {
    let is_near = pixel.iter().zip(color).all(|(value, expected)| value.abs_diff(expected) <= tolerance);
    assert!(is_near, "{pixel:?} instead of {color:?}");
}

/// Asserts that the quarters of a picture have these colors, from the top left to the bottom right.
fn assert_quarters(shown: &Shown, colors: [[u8; 3]; 4]) {
    for (index, color) in colors.into_iter().enumerate() {
        let (column, row) = (index % 2 * 2 + 1, index / 2 * 2 + 1);
        assert_near(shown.at(shown.width * column / 4, shown.height * row / 4), color, 8);
    }
}
