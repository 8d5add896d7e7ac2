//! Each format, and each of its variants.

use image_webp::ColorType as WebP;
use jpeg_encoder::{ColorType as Jpeg, SamplingFactor};
use png::{BitDepth, ColorType as Png};

use crate::files::{self, BLUE, GRAY, GREEN, RED, jpeg, jpeg_with, plain, png, quarters, webp};
use crate::{assert_plain, assert_quarters, processed};

const COLORS: [[u8; 3]; 4] = [RED, GREEN, BLUE, GRAY];

#[test]
fn decodes_jpegs_of_each_subsampling_baseline_and_progressive() {
    use SamplingFactor::{F_1_1, F_1_2, F_2_1, F_2_2, F_4_1, F_4_2};
    for factor in [F_1_1, F_2_1, F_1_2, F_2_2, F_4_1, F_4_2] {
        for is_progressive in [false, true] {
            for (width, height) in [(100, 80), (99, 71), (3300, 90)] {
                let pixels = quarters(width.into(), height.into());
                let file = jpeg_with(width, height, Jpeg::Rgb, &pixels, |encoder| {
                    encoder.set_sampling_factor(factor);
                    encoder.set_progressive(is_progressive);
                    encoder.set_restart_interval(7);
                });
                assert_quarters(&processed(&file).1, COLORS);
            }
        }
    }
}

#[test]
fn decodes_a_gray_jpeg() {
    for gray in [0, 77, 255] {
        let (_, shown) = processed(&jpeg(50, 40, Jpeg::Luma, &plain(&[gray], 2000)));
        assert_plain(&shown, [gray; 3], 1);
    }
}

#[test]
fn decodes_pngs_of_each_color_type_and_depth() {
    let wide = |values: &[u8]| values.iter().flat_map(|&value| [value, 0x7f]).collect::<Vec<_>>();
    let opaque = |values: &[u8]| values.chunks(3).flat_map(|rgb| [rgb, &[255]].concat()).collect::<Vec<_>>();
    let pixels = quarters(60, 40);
    for (colors, depth, pixels) in [
        (Png::Rgb, BitDepth::Eight, pixels.clone()),
        (Png::Rgb, BitDepth::Sixteen, wide(&pixels)),
        (Png::Rgba, BitDepth::Eight, opaque(&pixels)),
        (Png::Rgba, BitDepth::Sixteen, wide(&opaque(&pixels))),
    ] {
        assert_quarters(&processed(&png((60, 40), colors, depth, &pixels, &[])).1, COLORS);
    }
    for (depth, black_and_white) in [
        (BitDepth::One, vec![0x0f, 0xf0]),
        (BitDepth::Two, vec![0x00, 0xff]),
        (BitDepth::Four, vec![0, 0, 0xff, 0xff]),
        (BitDepth::Eight, [[0; 4], [255; 4]].concat()),
        (BitDepth::Sixteen, [[0; 8], [255; 8]].concat()),
    ] {
        let row = if depth == BitDepth::One { vec![0x0f] } else { black_and_white };
        let (_, shown) = processed(&png((8, 8), Png::Grayscale, depth, &row.repeat(8), &[]));
        assert_quarters(&shown, [[0; 3], [255; 3], [0; 3], [255; 3]]);
    }
}

#[test]
fn decodes_a_png_with_a_palette() {
    let palette = COLORS.concat();
    let indexes = [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]].concat();
    let indexes: Vec<_> = indexes
        .chunks(4)
        .flat_map(|row| row.iter().flat_map(|&index| [index; 8]).collect::<Vec<u8>>().repeat(8))
        .collect();
    // The third color is transparent, so white.
    let chunks: [(&[u8; 4], &[u8]); 2] = [(b"PLTE", &palette), (b"tRNS", &[255, 255, 0])];
    let (_, shown) = processed(&files::png_of(&[
        (b"IHDR", &files::png_header(32, 32, 3, false)),
        chunks[0],
        chunks[1],
        (b"IDAT", &files::chunks_named(&png((32, 32), Png::Grayscale, BitDepth::Eight, &indexes, &[]), b"IDAT")),
        (b"IEND", &[]),
    ]));
    assert_quarters(&shown, [RED, GREEN, [255; 3], GRAY]);
}

#[test]
fn decodes_an_interlaced_png() {
    // The seven passes of a picture of one color are rows of that color, with the filter 0 before
    // each.
    let mut rows = Vec::new();
    for (x, y, dx, dy) in
        [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    {
        for row in (y..40).step_by(dy) {
            rows.push(0);
            for column in (x..48).step_by(dx) {
                rows.extend(if column < 24 {
                    if row < 20 { RED } else { BLUE }
                } else if row < 20 {
                    GREEN
                } else {
                    GRAY
                });
            }
        }
    }
    let (_, shown) = processed(&files::png_of(&[
        (b"IHDR", &files::png_header(48, 40, 2, true)),
        (b"IDAT", &files::stored(&rows)),
        (b"IEND", &[]),
    ]));
    assert_eq!((shown.width, shown.height), (48, 40));
    assert_quarters(&shown, COLORS);
}

#[test]
fn draws_transparency_on_white() {
    for (alpha, expected) in [(0, [255, 255, 255]), (51, [254, 210, 208]), (255, RED)] {
        let pixel = [RED[0], RED[1], RED[2], alpha];
        let file = png((60, 40), Png::Rgba, BitDepth::Eight, &plain(&pixel, 2400), &[]);
        assert_plain(&processed(&file).1, expected, 2);
        let file = webp(60, 40, WebP::Rgba8, &plain(&pixel, 2400));
        assert_plain(&processed(&file).1, expected, 2);
        let file = png((60, 40), Png::GrayscaleAlpha, BitDepth::Eight, &plain(&[55, alpha], 2400), &[]);
        let gray = 255 - alpha / 51 * 40;
        assert_plain(&processed(&file).1, [gray; 3], 2);
    }
}

#[test]
fn decodes_lossless_and_lossy_webp() {
    assert_quarters(&processed(&webp(60, 40, WebP::Rgb8, &quarters(60, 40))).1, COLORS);
    assert_plain(&processed(&webp(60, 40, WebP::L8, &plain(&[77], 2400))).1, [77; 3], 1);
    let (_, shown) = processed(&files::webp_of(&[(b"VP8 ", &files::lossy_gray(60, 40))]));
    assert_eq!((shown.width, shown.height), (60, 40));
    assert_plain(&shown, [130; 3], 2);
}

#[test]
fn shows_the_first_frame_of_an_animation() {
    let frame = |color: [u8; 3]| {
        let file = webp(60, 40, WebP::Rgb8, &plain(&color, 2400));
        file[12..].to_vec()
    };
    assert_plain(&processed(&files::webp_animation(60, 40, &[frame(GREEN), frame(RED)])).1, GREEN, 3);

    let data = |color: [u8; 3]| {
        files::chunks_named(&png((60, 40), Png::Rgb, BitDepth::Eight, &plain(&color, 2400), &[]), b"IDAT")
    };
    let control = |sequence: u32| {
        [&sequence.to_be_bytes()[..], &60_u32.to_be_bytes(), &40_u32.to_be_bytes(), &[0; 8], &[0, 1, 0, 10, 0, 0]]
            .concat()
    };
    let second = [&2_u32.to_be_bytes()[..], &data(RED)].concat();
    let file = files::png_of(&[
        (b"IHDR", &files::png_header(60, 40, 2, false)),
        (b"acTL", &[0, 0, 0, 2, 0, 0, 0, 0]),
        (b"fcTL", &control(0)),
        (b"IDAT", &data(GREEN)),
        (b"fcTL", &control(1)),
        (b"fdAT", &second),
        (b"IEND", &[]),
    ]);
    assert_plain(&processed(&file).1, GREEN, 3);
}

#[test]
fn the_same_file_gives_the_same_result() {
    let file = jpeg(700, 500, Jpeg::Rgb, &files::waves(700, 500));
    assert_eq!(processed(&file).0, processed(&file).0);
}
