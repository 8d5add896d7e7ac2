//! The sizes of the results, and the largest and smallest pictures.

use jpeg_encoder::ColorType as Jpeg;
use pictures::{MAX_PIXELS, Rejection, process};
use png::{BitDepth, ColorType as Png};

use crate::files::{self, jpeg, plain, png, waves};
use crate::{Shown, assert_near, processed};

/// Returns a gray PNG of one bit for each pixel, which is black.
fn black(width: u32, height: u32) -> Vec<u8> {
    let row = width.div_ceil(8) as usize;
    png((width, height), Png::Grayscale, BitDepth::One, &plain(&[0], row * height as usize), &[])
}

#[test]
fn a_picture_is_never_enlarged() {
    for (width, height) in [(1, 1), (1, 700), (439, 7), (440, 20), (441, 20), (800, 5), (801, 5), (1599, 3), (1600, 3)]
    {
        let file = jpeg(width, height, Jpeg::Rgb, &waves(width.into(), height.into()));
        let (processed, largest) = processed(&file);
        assert_eq!((largest.width, largest.height), (width.into(), height.into()));
        let sizes = (processed.medium.is_some(), processed.large.is_some());
        assert_eq!(sizes, (width > 440, width > 800), "{width}");
    }
}

#[test]
fn a_wider_picture_keeps_its_proportions() {
    for (width, height, large_height, medium_height, small_height) in [
        (1601, 1601, 1600, 800, 440),
        (4000, 3000, 1200, 600, 330),
        (3001, 1999, 1066, 533, 293),
        (20_000, 3, 1, 1, 1),
        (6500, 3250, 800, 400, 220),
    ] {
        let pixels = waves(width.into(), height.into());
        let files = [
            jpeg(width, height, Jpeg::Rgb, &pixels),
            png((width.into(), height.into()), Png::Rgb, BitDepth::Eight, &pixels, &[]),
        ];
        for file in files {
            let (processed, large) = processed(&file);
            assert_eq!((large.width, large.height), (1600, large_height), "{width} × {height}");
            assert_eq!(Shown::decode(processed.medium.as_ref().unwrap()).height, medium_height);
            assert_eq!(Shown::decode(&processed.small).height, small_height);
        }
    }
}

#[test]
fn reducing_moves_nothing() {
    // The sides are no multiples of what the decoders reduce by, so that the last block is smaller.
    let (width, height) = (6_789, 4_321);
    let pixels = waves(width, height);
    let files = [
        jpeg(6_789, 4_321, Jpeg::Rgb, &pixels),
        png((6_789, 4_321), Png::Rgb, BitDepth::Eight, &pixels, &[]),
        files::webp(6_789, 4_321, image_webp::ColorType::Rgb8, &pixels),
    ];
    for file in files {
        let (_, large) = processed(&file);
        for (x, y) in [(3, 5), (800, 500), (1590, 1010), (400, 900)] {
            let original = |at: usize, side: usize, reduced: usize| (at * 2 + 1) * side / (reduced * 2);
            let at = (original(y, height, large.height) * width + original(x, width, large.width)) * 3;
            // The waves have a slope of 11 for each original pixel, of which a pixel of the result
            // has four.
            assert_near(large.at(x, y), pixels[at..at + 3].try_into().unwrap(), 9);
        }
    }
}

#[test]
fn accepts_64_megapixels_and_no_more() {
    assert_eq!(MAX_PIXELS, 64_000_000);
    let (processed, _) = processed(&black(8_000, 8_000));
    assert_eq!((processed.width, processed.height), (1600, 1600));
    assert_eq!(12_277 * 5_213, MAX_PIXELS + 1);
    assert_eq!(process(&black(12_277, 5_213)), Err(Rejection::TooManyPixels { width: 12_277, height: 5_213 }));
}

#[test]
fn accepts_a_side_of_65500_and_no_more() {
    let (processed, _) = processed(&black(3, 65_500));
    assert_eq!((processed.width, processed.height), (3, 65_500));
    assert_eq!(process(&black(3, 65_501)), Err(Rejection::SideTooLong { width: 3, height: 65_501 }));
    assert_eq!(process(&black(65_501, 3)), Err(Rejection::SideTooLong { width: 65_501, height: 3 }));
}
