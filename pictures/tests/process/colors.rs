//! Colors that come out as the right sRGB.

use jpeg_encoder::ColorType as Jpeg;
use png::{BitDepth, ColorType as Png};

use crate::files::{self, jpeg, jpeg_with, plain, png};
use crate::{assert_plain, processed};

/// The primaries of Display P3 and of Adobe RGB (1998), adapted to D50.
const DISPLAY_P3: [[f64; 3]; 3] = [[0.5151, 0.2412, -0.0011], [0.2920, 0.6922, 0.0419], [0.1571, 0.0666, 0.7841]];
const ADOBE_RGB: [[f64; 3]; 3] =
    [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]];
/// The linear values of sRGB from XYZ of D50
/// (<http://www.brucelindbloom.com/index.html?Eqn_RGB_XYZ_Matrix.html>).
const TO_SRGB: [[f64; 3]; 3] = [
    [3.133_856_1, -1.616_866_7, -0.490_614_6],
    [-0.978_768_4, 1.916_141_5, 0.033_454_0],
    [0.071_945_3, -0.228_991_4, 1.405_242_7],
];

/// Computes the color in sRGB with the formulas of the ICC and of IEC 61966-2-1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is between 0 and 255")]
fn srgb(pixel: [u8; 3], primaries: [[f64; 3]; 3], gamma: f64) -> [u8; 3] {
    let linear = pixel.map(|value| (f64::from(value) / 255.0).powf(gamma));
    let xyz = [0, 1, 2].map(|axis| (0..3).map(|color| linear[color] * primaries[color][axis]).sum::<f64>());
    TO_SRGB.map(|row| {
        let value: f64 = row.iter().zip(xyz).map(|(factor, value)| factor * value).sum();
        let encoded = if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (encoded.clamp(0.0, 1.0) * 255.0).round() as u8
    })
}

/// Returns the segments with a profile in a JPEG, which takes at most 64 KB in one.
fn with_profile(jpeg: &[u8], profile: &[u8]) -> Vec<u8> {
    files::with_segments(jpeg, &[(0xe2, &[b"ICC_PROFILE\0\x01\x01", profile].concat())])
}

#[test]
fn converts_display_p3_and_adobe_rgb() {
    // sRGB cannot show the first one, and cuts it off.
    for pixel in [[240, 105, 50], [200, 100, 50], [60, 150, 90], [128, 128, 128], [255, 255, 255], [0, 0, 0]] {
        for (primaries, gamma) in [(DISPLAY_P3, 2.2), (ADOBE_RGB, 2.199_218_75)] {
            let profile = files::icc_profile(primaries, gamma);
            let expected = srgb(pixel, primaries, gamma);
            let pixels = plain(&pixel, 2400);
            let compressed = [b"name\0\0", &files::stored(&profile)[..]].concat();
            let webp = files::webp(60, 40, image_webp::ColorType::Rgb8, &pixels);
            let features = files::webp_features(0b10_0000, 60, 40);
            for file in [
                png((60, 40), Png::Rgb, BitDepth::Eight, &pixels, &[(b"iCCP", &compressed)]),
                files::webp_of(&[(b"VP8X", &features), (b"ICCP", &profile), (b"VP8L", &webp[20..])]),
                with_profile(&jpeg(60, 40, Jpeg::Rgb, &pixels), &profile),
            ] {
                assert_plain(&processed(&file).1, expected, 2);
            }
        }
    }
}

#[test]
fn converts_by_a_gray_profile() {
    // A gamma of 1 stores light itself, of which sRGB shows 54 as 127.
    let curve = b"curv\0\0\0\0\0\0\0\x01\x01\0\0\0".to_vec();
    let profile = files::profile(b"GRAY", &[(b"wtpt", xyz_white()), (b"kTRC", curve)]);
    let file = with_profile(&jpeg(60, 40, Jpeg::Luma, &plain(&[54], 2400)), &profile);
    assert_plain(&processed(&file).1, [127; 3], 2);
}

fn xyz_white() -> Vec<u8> {
    b"XYZ \0\0\0\0\0\0\xf6\xd6\0\x01\0\0\0\0\xd3\x2d".to_vec()
}

#[test]
fn ignores_a_profile_that_is_broken_or_for_other_channels() {
    let pixel = [200, 100, 50];
    let file = jpeg(60, 40, Jpeg::Rgb, &plain(&pixel, 2400));
    let profile = files::icc_profile(ADOBE_RGB, 2.2);
    for length in (0..profile.len()).step_by(9) {
        assert_plain(&processed(&with_profile(&file, &profile[..length])).1, pixel, 2);
    }
    let mut of_gray = profile.clone();
    of_gray[16..20].copy_from_slice(b"GRAY");
    assert_plain(&processed(&with_profile(&file, &of_gray)).1, pixel, 2);
    assert_plain(&processed(&with_profile(&file, &plain(&[0xff], 60_000))).1, pixel, 2);
    let cmyk = jpeg(60, 40, Jpeg::Cmyk, &plain(&[51, 102, 153, 51], 2400));
    assert_plain(&processed(&with_profile(&cmyk, &profile)).1, [163, 122, 82], 3);
    let gray = jpeg(60, 40, Jpeg::Luma, &plain(&[77], 2400));
    assert_plain(&processed(&with_profile(&gray, &profile)).1, [77; 3], 2);
}

#[test]
fn converts_cmyk_without_a_profile() {
    // Cyan, magenta, yellow and black, where 255 is full ink.
    for (inks, expected) in [
        ([0, 0, 0, 0], [255, 255, 255]),
        ([255, 0, 0, 0], [0, 255, 255]),
        ([0, 255, 255, 0], [255, 0, 0]),
        ([0, 0, 0, 255], [0, 0, 0]),
        ([51, 102, 153, 51], [163, 122, 82]),
    ] {
        let pixels = plain(&inks, 2400);
        let adobe = jpeg(60, 40, Jpeg::Cmyk, &pixels);
        assert_plain(&processed(&adobe).1, expected, 3);
        assert_plain(&processed(&jpeg(60, 40, Jpeg::CmykAsYcck, &pixels)).1, expected, 4);
        let progressive = jpeg_with(60, 40, Jpeg::Cmyk, &pixels, |encoder| encoder.set_progressive(true));
        assert_plain(&processed(&progressive).1, expected, 3);

        // Without Adobe's segment, the values are inverted as well.
        let at = adobe.windows(5).position(|name| name == b"Adobe").unwrap();
        let without = [&adobe[..at - 4], &adobe[at + 12..]].concat();
        assert_plain(&processed(&without).1, expected, 3);
    }
}

#[test]
fn converts_cmyk_by_its_profile() {
    let profile = cmyk_profile();
    for (inks, expected) in [([0, 0, 0, 0], [255; 3]), ([0, 0, 0, 255], [119; 3]), ([255, 255, 255, 255], [119; 3])] {
        let file = with_profile(&jpeg(60, 40, Jpeg::Cmyk, &plain(&inks, 2400)), &profile);
        assert_plain(&processed(&file).1, expected, 3);
    }
}

/// Returns a profile of a press whose inks are weak: every color with black or with all inks is a
/// gray of L* = 50.
fn cmyk_profile() -> Vec<u8> {
    // Type mft1: 4 channels in, 3 out, 2 points on each axis.
    let mut table = b"mft1\0\0\0\0\x04\x03\x02\0".to_vec();
    for value in [1, 0, 0, 0, 1, 0, 0, 0, 1] {
        table.extend(i32::to_be_bytes(value * 65_536));
    }
    let curve: Vec<u8> = (0..=255).collect();
    table.extend(curve.repeat(4));
    for point in 0..16 {
        // The last ink varies fastest. L* = 100 is 255, and a* = b* = 0 is 128.
        let is_dark = point % 2 == 1;
        table.extend([if is_dark { 128 } else { 255 }, 128, 128]);
    }
    table.extend(curve.repeat(3));
    let mut profile = files::profile(b"CMYK", &[(b"wtpt", xyz_white()), (b"A2B0", table)]);
    profile[12..16].copy_from_slice(b"prtr");
    profile[20..24].copy_from_slice(b"Lab ");
    profile
}
