//! Hundreds of variants of each format, sound and damaged, that come out as they should.
//!
//! All variants show [`picture`], so the right pixels are known. Where `QUICK_PHOTOS_PYTHON` names a
//! Python that has Pillow, it reads the same files, and has to show what we show.
//! [`DIFFERENCES`] lists what differs on purpose.

use std::fs;
use std::path::Path;

use pictures::process;

use crate::Shown;
use crate::peers::{pillow, python};

mod jpeg;
mod png;
mod webp;

/// A file, and what it comes out as.
struct Variant {
    name: String,
    file: Vec<u8>,
    outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// [`picture`].
    Whole,
    /// [`picture`] with an opacity of a half, on white.
    HalfOpaque,
    /// The pixels that Pillow shows.
    Some,
    Rejected,
}

/// The mean difference of two pictures, in steps of 255. The large size is a JPEG of the quality 80,
/// and so are many variants.
const MAX_DIFFERENCE: f64 = 4.0;

/// The variants that Pillow treats in another way, by parts of their names. [The page of
/// photos](../../../functions/photos/README.md) says why.
const DIFFERENCES: [(&str, Difference); 19] = [
    // Pillow wants the marker of the end, and browsers do not. Both read on as long as there is
    // data.
    ("jpeg-ends-", Difference::PillowRejects),
    // More than 5 % is missing at the end.
    ("-percent-closed.jpg", Difference::WeReject),
    ("-stated-", Difference::WeReject),
    ("jpeg-restarts-19-", Difference::WeReject),
    // Pillow reads some segments on its own, and does not know others.
    ("jpeg-colors-short-jfif", Difference::PillowRejects),
    ("jpeg-markers-second-start", Difference::PillowRejects),
    ("jpeg-markers-segment-01", Difference::PillowRejects),
    ("jpeg-markers-segment-f0", Difference::PillowRejects),
    // One is no multiple of the other.
    ("jpeg-sampling-3x", Difference::PillowRejects),
    ("x3-of-4x4", Difference::PillowRejects),
    // No browser reads it.
    ("jpeg-process-arithmetic", Difference::WeReject),
    // Checksums count for nothing.
    ("-wrong-crc.png", Difference::PillowRejects),
    ("-wrong-crc-of-header", Difference::PillowRejects),
    ("-wrong-adler", Difference::PillowRejects),
    // A few rows at the end may be missing.
    ("-less-2-percent.png", Difference::PillowRejects),
    // The chunk says that a program which does not know it cannot show the picture.
    ("-chunk-unknown-critical", Difference::WeReject),
    // What follows the picture may be cut off, and the length of the file may be wrong.
    ("webp-ends-", Difference::PillowRejects),
    ("webp-animation-second-frame-cut", Difference::PillowRejects),
    // A flag that announces an animation is as stale as any other.
    ("webp-flags-", Difference::PillowRejects),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    /// Pillow rejects it, and browsers show it.
    PillowRejects,
    /// Pillow shows it, and we reject it.
    WeReject,
    /// Both show it, and not the same.
    Pixels,
}

/// Returns the pixels that all variants show. Each channel varies, none like another one, and all so
/// gently that few values are enough.
fn picture(width: usize, height: usize) -> Vec<u8> {
    let value = |at: usize, side: usize| u8::try_from(20 + (at * 2 + 1) * 100 / side.max(100)).unwrap();
    let pixel = |x, y| [value(x, width), value(y, height), 255 - value(x, width) / 2];
    (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect()
}

fn variants() -> Vec<Variant> {
    [jpeg::variants(), png::variants(), webp::variants()].into_iter().flatten().collect()
}

fn difference(pixels: &[u8], expected: impl Iterator<Item = u8>) -> f64 {
    let sum: u64 = pixels.iter().zip(expected).map(|(a, b)| u64::from(a.abs_diff(b))).sum();
    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    let mean = sum as f64 / pixels.len() as f64;
    mean
}

#[test]
fn each_variant_comes_out_as_it_should() {
    let mut wrong = Vec::new();
    for Variant { name, file, outcome } in variants() {
        let Ok(processed) = process(&file) else {
            if matches!(outcome, Outcome::Whole | Outcome::HalfOpaque) {
                wrong.push(format!("{name} is rejected"));
            }
            continue;
        };
        let shown = Shown::decode(processed.largest());
        let expected = picture(shown.width, shown.height).into_iter();
        let difference = match outcome {
            Outcome::Whole => difference(&shown.pixels, expected),
            Outcome::HalfOpaque => difference(&shown.pixels, expected.map(|value| value / 2 + 127)),
            Outcome::Some => 0.0,
            Outcome::Rejected => f64::INFINITY,
        };
        if difference > MAX_DIFFERENCE {
            wrong.push(format!("{name} differs by {difference:.1}"));
        }
    }
    assert!(wrong.is_empty(), "{} variants:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pillow_shows_the_same_of_each_variant() {
    let Some(python) = python() else { return };
    let directory = tempfile::tempdir().unwrap();
    let [uploads, results] = ["uploads", "results"].map(|name| directory.path().join(name));
    fs::create_dir(&uploads).unwrap();
    fs::create_dir(&results).unwrap();
    let mut is_shown = Vec::new();
    for Variant { name, file, .. } in variants() {
        fs::write(uploads.join(&name), &file).unwrap();
        let processed = process(&file);
        if let Ok(processed) = &processed {
            fs::write(results.join(&name), processed.largest()).unwrap();
        }
        is_shown.push((name, processed.is_ok()));
    }
    is_shown.sort_unstable();
    let compared = pillow(&python, &[Path::new("differences"), &uploads, &results]);
    let mut wrong = Vec::new();
    let mut seen = Vec::new();
    for ((name, is_shown), line) in is_shown.iter().zip(compared.lines()) {
        let (of, difference) = line.split_once(' ').unwrap();
        assert_eq!(of, name);
        let found = match (is_shown, difference) {
            (false, "rejected") => continue,
            (true, "rejected") => Difference::PillowRejects,
            (false, _) => Difference::WeReject,
            (true, mean) if mean.parse::<f64>().unwrap() <= MAX_DIFFERENCE => continue,
            _ => Difference::Pixels,
        };
        match DIFFERENCES.iter().find(|(part, listed)| name.contains(part) && *listed == found) {
            Some((part, _)) => seen.push(*part),
            None => wrong.push(format!("{name}: {found:?} {difference}")),
        }
    }
    let unused: Vec<_> = DIFFERENCES.iter().map(|(part, _)| part).filter(|part| !seen.contains(part)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), is_shown.len(), wrong.join("\n"));
    assert!(unused.is_empty(), "these are no differences: {unused:?}");
}
