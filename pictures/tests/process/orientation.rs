//! The eight orientations of EXIF.

use jpeg_encoder::ColorType;
use png::BitDepth;

use crate::files::{self, BLUE, GRAY, GREEN, RED, exif, jpeg, png, quarters, with_segments};
use crate::{assert_quarters, processed};

/// Returns the colors of the quarters that a picture with this orientation shows.
fn shown(orientation: u16) -> [[u8; 3]; 4] {
    match orientation {
        2 => [GREEN, RED, GRAY, BLUE],
        3 => [GRAY, BLUE, GREEN, RED],
        4 => [BLUE, GRAY, RED, GREEN],
        5 => [RED, BLUE, GREEN, GRAY],
        6 => [BLUE, RED, GRAY, GREEN],
        7 => [GRAY, GREEN, BLUE, RED],
        8 => [GREEN, GRAY, RED, BLUE],
        _ => [RED, GREEN, BLUE, GRAY],
    }
}

#[test]
fn applies_every_orientation() {
    let plain = jpeg(60, 40, ColorType::Rgb, &quarters(60, 40));
    for orientation in 0..=9 {
        let size = if (5..=8).contains(&orientation) { (40, 60) } else { (60, 40) };
        let tiff = exif(orientation);
        let segment = [b"Exif\0\0", &tiff[..]].concat();
        let webp = files::webp(60, 40, image_webp::ColorType::Rgb8, &quarters(60, 40));
        for file in [
            with_segments(&plain, &[(0xe1, &segment)]),
            png((60, 40), png::ColorType::Rgb, BitDepth::Eight, &quarters(60, 40), &[(b"eXIf", &tiff)]),
            // The chunk VP8L of the encoder follows the 12 bytes of the file's header and the 8 of
            // its own.
            files::webp_of(&[
                (b"VP8X", &files::webp_features(0b1000, 60, 40)),
                (b"VP8L", &webp[20..]),
                (b"EXIF", &segment),
            ]),
        ] {
            let (_, large) = processed(&file);
            assert_eq!((large.width, large.height), size, "orientation {orientation}");
            assert_quarters(&large, shown(orientation));
        }
    }
}

#[test]
fn the_shown_width_is_what_is_limited() {
    let segment = [b"Exif\0\0", &exif(6)[..]].concat();
    let file = with_segments(&jpeg(3400, 800, ColorType::Rgb, &quarters(3400, 800)), &[(0xe1, &segment)]);
    let (_, large) = processed(&file);
    assert_eq!((large.width, large.height), (800, 3400));
    let file = with_segments(&jpeg(800, 3400, ColorType::Rgb, &quarters(800, 3400)), &[(0xe1, &segment)]);
    let (_, large) = processed(&file);
    assert_eq!((large.width, large.height), (1600, 376));
    assert_quarters(&large, shown(6));
}

#[test]
fn shows_a_picture_with_broken_exif_as_it_is_stored() {
    let plain = jpeg(60, 40, ColorType::Rgb, &quarters(60, 40));
    let tiff = exif(6);
    let mut far = tiff.clone();
    far[4..8].copy_from_slice(&[0xff; 4]);
    for length in 0..30 {
        let segment = [b"Exif\0\0", &tiff[..length]].concat();
        assert_quarters(&processed(&with_segments(&plain, &[(0xe1, &segment)])).1, shown(1));
    }
    assert_quarters(&processed(&with_segments(&plain, &[(0xe1, &[b"Exif\0\0", &far[..]].concat())])).1, shown(1));
}
