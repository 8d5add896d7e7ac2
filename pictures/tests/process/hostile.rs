//! Files that are damaged, or were made to do damage.

use std::time::{Duration, Instant};

use jpeg_encoder::ColorType as Jpeg;
use pictures::{Rejection, process};
use png::{BitDepth, ColorType as Png};

use crate::files::hostile::{self, Scan};
use crate::files::{self, BLUE, GRAY, GREEN, RED, jpeg, jpeg_with, plain, png, quarters, waves, webp};
use crate::{assert_quarters, metadata, processed};

/// The maximum time for a small file, on a slow machine too.
const SOON: Duration = Duration::from_secs(10);

fn rejected(file: &[u8]) -> Rejection {
    let begin = Instant::now();
    let rejection = process(file).map(|processed| (processed.width, processed.height)).unwrap_err();
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    rejection
}

#[test]
fn rejects_what_is_no_picture() {
    for file in [
        &b""[..],
        b"a",
        b"\xff\xd8",
        b"GIF89a\x01\0\x01\0",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        b"BM",
    ] {
        assert_eq!(rejected(file), Rejection::UnknownFormat);
    }
    for brand in [b"heic", b"heix", b"mif1"] {
        assert_eq!(rejected(&[b"\0\0\0\x18ftyp", &brand[..], b"\0\0\0\0"].concat()), Rejection::Heic);
    }
    assert_eq!(rejected(b"\0\0\0\x18ftypavif\0\0\0\0"), Rejection::UnknownFormat);
}

#[test]
fn a_rejection_says_what_to_do() {
    assert_eq!(
        rejected(b"GIF89a").to_string(),
        "The file is not a JPEG, PNG or WebP picture. Upload one of these as a new photo."
    );
    assert_eq!(
        Rejection::TooManyPixels { width: 9000, height: 8000 }.to_string(),
        "The picture has 9000 × 8000 pixels, which is more than 64 million. Make it smaller, and upload it as a new photo."
    );
    assert_eq!(
        Rejection::SideTooLong { width: 70_000, height: 2 }.to_string(),
        "The picture has 70000 × 2 pixels, and each side may have at most 65500. Make it smaller, and upload it as a new photo."
    );
}

#[test]
fn the_content_decides_on_the_format() {
    // Nothing but the content is passed, so a PNG that is named .jpg, or sent as image/jpeg, is a
    // PNG.
    let file = png((60, 40), Png::Rgb, BitDepth::Eight, &quarters(60, 40), &[]);
    assert_quarters(&processed(&file).1, [RED, GREEN, BLUE, GRAY]);
    // A PNG behind the first bytes of a JPEG is neither.
    assert_eq!(rejected(&[b"\xff\xd8\xff\xe0", &file[..]].concat()), Rejection::Damaged);
}

/// Returns small files that claim to be huge.
fn bombs() -> Vec<Vec<u8>> {
    let mut jpeg = jpeg(16, 16, Jpeg::Rgb, &plain(&GRAY, 256));
    let frame = jpeg.windows(4).position(|marker| marker == [0xff, 0xc0, 0, 17]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xea, 0x60, 0xea, 0x60]);
    let mut webp = webp(16, 16, image_webp::ColorType::Rgb8, &plain(&GRAY, 256));
    // 16,383 × 16,383, each less one, in two numbers of 14 bits.
    webp[21..25].copy_from_slice(&[0xfe, 0xbf, 0xff, 0x0f]);
    let claimed = files::webp_features(0, 60_000, 60_000);
    vec![
        jpeg,
        files::png_of(&[
            (b"IHDR", &files::png_header(60_000, 60_000, 6, false)),
            (b"IDAT", &files::compressed_zeros(1 << 18)),
            (b"IEND", &[]),
        ]),
        webp,
        files::webp_of(&[(b"VP8X", &claimed), (b"VP8 ", &files::lossy_gray(16, 16))]),
        // The file claims one pixel, and its frame 16,383 × 16,383.
        files::webp_of(&[
            (b"VP8X", &files::webp_features(0, 1, 1)),
            (b"VP8 ", &files::lossy_gray(16_383, 16_383)[..800]),
        ]),
        files::webp_of(&[(b"VP8 ", &files::lossy_gray(16_383, 16_383)[..800])]),
    ]
}

#[test]
fn rejects_small_files_that_claim_to_be_huge() {
    for (index, bomb) in bombs().into_iter().enumerate() {
        assert!(bomb.len() < 3_000, "{}", bomb.len());
        assert!(matches!(rejected(&bomb), Rejection::TooManyPixels { .. }), "bomb {index}");
    }
}

#[test]
fn rejects_a_picture_without_pixels() {
    let png = |width, height| files::png_of(&[(b"IHDR", &files::png_header(width, height, 0, false))]);
    let mut webp = webp(16, 16, image_webp::ColorType::Rgb8, &plain(&GRAY, 256));
    // The decoder takes a width of 16,384, the largest that can be written, for 0.
    webp[21..25].copy_from_slice(&[0xff, 0xff, 0x00, 0x00]);
    let lossy = files::webp_of(&[(b"VP8 ", &files::lossy_gray(0, 16))]);
    for file in [png(0, 1), png(1, 0), webp, lossy] {
        assert_eq!(rejected(&file), Rejection::Damaged);
    }
}

#[test]
fn rejects_a_truncated_file() {
    let pixels = waves(200, 150);
    let lossy = files::webp_of(&[(b"VP8 ", &files::lossy_gray(200, 150)[..400])]);
    let files = [
        metadata::talkative(),
        jpeg_with(200, 150, Jpeg::Rgb, &pixels, |encoder| encoder.set_progressive(true)),
        png((200, 150), Png::Rgb, BitDepth::Eight, &pixels, &[]),
        webp(200, 150, image_webp::ColorType::Rgb8, &pixels),
        lossy,
    ];
    for file in files {
        let whole = process(&file);
        for length in (0..file.len()).step_by(file.len() / 150 + 1).chain(file.len() - 60..file.len()) {
            // What ends a file after its last pixels may be missing, and a few of these too.
            let truncated = process(&file[..length]);
            let has_nearly_all = length * 100 > file.len() * 94;
            assert!(truncated.is_err() || truncated == whole || has_nearly_all, "{length} of {}", file.len());
        }
        assert!(process(&file[..file.len() * 9 / 10]).is_err(), "{} bytes", file.len());
    }
}

#[test]
fn flipped_bytes_are_no_panic() {
    let pixels = waves(60, 40);
    let files = [
        jpeg(60, 40, Jpeg::Rgb, &pixels),
        jpeg_with(60, 40, Jpeg::Rgb, &pixels, |encoder| encoder.set_progressive(true)),
        jpeg(60, 40, Jpeg::CmykAsYcck, &plain(&[1, 80, 160, 40], 60 * 40)),
        png((60, 40), Png::Rgb, BitDepth::Eight, &pixels, &[]),
        webp(60, 40, image_webp::ColorType::Rgb8, &pixels),
        files::webp_of(&[(b"VP8 ", &files::lossy_gray(60, 40)[..400])]),
    ];
    for file in files {
        for at in 0..file.len().min(400) {
            let mut changed = file.clone();
            changed[at] ^= 1 << (at % 8);
            let _ = process(&changed);
        }
    }
}

#[test]
fn chunks_that_decompress_without_end_do_not() {
    let zeros = files::compressed_zeros(256 << 20);
    let profile = [b"name\0\0", &zeros[..]].concat();
    let text = [b"Comment\0\0", &zeros[..]].concat();
    let unicode = [b"Comment\0\x01\0\0\0", &zeros[..]].concat();
    let begin = Instant::now();
    for chunk in [(b"iCCP", &profile), (b"zTXt", &text), (b"iTXt", &unicode)] {
        let file = png((60, 40), Png::Rgb, BitDepth::Eight, &quarters(60, 40), &[(chunk.0, chunk.1)]);
        // The picture is as good as any other, and its profile is none.
        if let Ok(processed) = process(&file) {
            assert_eq!((processed.width, processed.height), (60, 40));
        }
    }
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    // More pixels than the header says are ignored.
    let file = files::png_of(&[(b"IHDR", &files::png_header(60, 40, 0, false)), (b"IDAT", &zeros), (b"IEND", &[])]);
    assert_eq!(processed(&file).1.width, 60);
}

#[test]
fn rejects_a_jpeg_of_too_many_scans() {
    let file = jpeg_with(64, 48, Jpeg::Rgb, &waves(64, 48), |encoder| encoder.set_progressive(true));
    processed(&file);
    let begin = file.windows(2).rposition(|marker| marker == [0xff, 0xda]).unwrap();
    let last_scan = &file[begin..file.len() - 2];
    let with_scans = |count| [&file[..file.len() - 2], &last_scan.repeat(count), b"\xff\xd9"].concat();
    processed(&with_scans(20));
    assert_eq!(rejected(&with_scans(100)), Rejection::UnsupportedVariant);
}

/// A decoder goes through all blocks of a scan, also if its data has ended.
#[test]
fn rejects_a_jpeg_whose_scans_have_too_little_data_for_their_blocks() {
    let file = hostile::progressive(99, 0);
    assert!(file.len() < 1_300, "{}", file.len());
    assert_eq!(rejected(&file), Rejection::Damaged);
    let scan = |bytes| Scan { components: vec![1, 2, 3], band: (0, 63), refines: false, bytes };
    assert_eq!(rejected(&hostile::jpeg_of_scans((8000, 8000), 3, false, &[scan(700_000)])), Rejection::Damaged);
    // Each of the 3 × 6 blocks takes 127 bits: all of its coefficients are there.
    assert_eq!(rejected(&hostile::jpeg_of_scans((24, 16), 3, false, &[scan(285)])), Rejection::Damaged);
    assert_eq!(processed(&hostile::jpeg_of_scans((24, 16), 3, false, &[scan(286)])).0.width, 24);
}

#[test]
fn rejects_a_jpeg_whose_scans_visit_too_many_coefficients() {
    assert_eq!(rejected(&hostile::progressive(30, 125_000)), Rejection::UnsupportedVariant);
    // A code and 63 pairs of a code and a number for each of 200 × 100 blocks.
    let scan = || Scan { components: vec![1], band: (0, 63), refines: false, bytes: 20_000 * 127 / 8 };
    let scanned_twice = hostile::jpeg_of_scans((1600, 800), 3, false, &[scan(), scan()]);
    assert_eq!(rejected(&scanned_twice), Rejection::Damaged, "a sequential picture has one scan for each component");
}

#[test]
fn rejects_a_webp_of_too_many_tables() {
    // The decoder would take 250 MB.
    assert_eq!(rejected(&hostile::webp_of_groups(4_000)), Rejection::UnsupportedVariant);
    assert_eq!(processed(&hostile::webp_of_groups(300)).0.width, 16);
}

#[test]
fn ignores_a_profile_that_has_one_table_many_times() {
    let profile = hostile::profile_of_tables(80, 200_000);
    let compressed = [b"name\0\0", &files::stored(&profile)[..]].concat();
    let file = png((60, 40), Png::Rgb, BitDepth::Eight, &quarters(60, 40), &[(b"iCCP", &compressed)]);
    let begin = Instant::now();
    assert_quarters(&processed(&file).1, [RED, GREEN, BLUE, GRAY]);
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}

#[test]
fn empty_blocks_of_a_compressed_stream_are_soon_over() {
    let begin = Instant::now();
    assert_eq!(processed(&hostile::png_of_empty_blocks(200_000)).0.width, 8);
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}

#[test]
fn rejects_variants_that_the_decoder_does_not_know() {
    let file = jpeg(16, 16, Jpeg::Luma, &plain(&[128], 256));
    let frame = file.windows(4).position(|marker| marker == [0xff, 0xc0, 0, 11]).unwrap();
    let changed = |at: usize, value: u8| {
        let mut file = file.clone();
        file[frame + at] = value;
        file
    };
    // Lossless, hierarchical and arithmetic coding.
    for variant in [changed(1, 0xc3), changed(1, 0xc5), changed(1, 0xc9)] {
        assert_eq!(rejected(&variant), Rejection::UnsupportedVariant, "{:x?}", &variant[frame..frame + 5]);
    }
}
