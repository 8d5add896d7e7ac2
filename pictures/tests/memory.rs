//! The memory that `process` takes, in a process of its own. There is one test here, because the
//! peak of a process is all that can be measured.

#![allow(clippy::unwrap_used)]

mod files;

use pictures::{Rejection, process};
use png::{BitDepth, ColorType as Png};

/// Returns the peak memory of this process in MB, where the system tells it.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kilobytes| kilobytes / 1024)
}

fn assert_peak_below(megabytes: usize, what: &str) {
    if let Some(peak) = peak() {
        assert!(peak < megabytes, "{peak} MB after {what}");
    }
}

#[test]
fn a_picture_takes_memory_only_within_the_limits() {
    // What claims to be too large is rejected before anything of its size is allocated.
    for (width, height) in [(60_000, 60_000), (12_277, 5_213)] {
        let file = files::png_of(&[
            (b"IHDR", &files::png_header(width, height, 6, false)),
            (b"IDAT", &files::compressed_zeros(1 << 18)),
            (b"IEND", &[]),
        ]);
        assert_eq!(process(&file), Err(Rejection::TooManyPixels { width, height }));
    }
    let lossy = &files::lossy_gray(16_383, 16_383)[..800];
    let small = files::webp_features(0, 1, 1);
    for file in [files::webp_of(&[(b"VP8 ", lossy)]), files::webp_of(&[(b"VP8X", &small), (b"VP8 ", lossy)])] {
        assert!(matches!(process(&file), Err(Rejection::TooManyPixels { .. })));
    }
    assert_peak_below(50, "small files that claim to be large");

    // The tables of a WebP picture of 3 MB would take 1.3 GB.
    let before = peak();
    let file = files::hostile::webp_of_groups(20_000);
    assert_eq!(process(&file), Err(Rejection::UnsupportedVariant));
    if let (Some(before), Some(after)) = (before, peak()) {
        assert!(after - before < 100, "{before} MB before, and {after} MB after a WebP picture of many tables");
    }

    // A chunk of 256 MB is decompressed up to the limit of the decoder.
    let profile = [b"name\0\0", &files::compressed_zeros(256 << 20)[..]].concat();
    let before = peak();
    let file = files::png((8, 8), Png::Grayscale, BitDepth::Eight, &[0; 64], &[(b"iCCP", &profile)]);
    let _ = process(&file);
    if let (Some(before), Some(after)) = (before, peak()) {
        assert!(after - before < 50, "{before} MB before, and {after} MB after a decompression bomb");
    }

    // The progressive JPEG with the most work that is accepted, at the bound of one function (1.2
    // GB).
    process(&files::hostile::most_work()).unwrap();
    assert_peak_below(1200, "the JPEG with the most work");
}
