use image_webp::ColorType;

use super::Outcome::{HalfOpaque, Rejected, Some as Any, Whole};
use super::{Outcome, Variant, picture};
use crate::files::{self, exif, lossy_gray, webp_features, webp_of};

const WIDTH: u32 = 75;
const HEIGHT: u32 = 54;

type Chunk = (&'static [u8; 4], Vec<u8>);

pub(super) fn variants() -> Vec<Variant> {
    let rgb = picture(WIDTH as usize, HEIGHT as usize);
    let rgba: Vec<u8> = rgb.chunks_exact(3).flat_map(|rgb| [rgb, &[128]].concat()).collect();
    let stream = |colors, pixels: &[u8]| files::webp(WIDTH, HEIGHT, colors, pixels)[20..].to_vec();
    let opaque = vec![(b"VP8L", stream(ColorType::Rgb8, &rgb))];
    let transparent = vec![(b"VP8L", stream(ColorType::Rgba8, &rgba))];
    let lossy = (b"VP8 ", lossy_gray(75, 54));
    let alpha = (b"ALPH", [vec![0], vec![128; (WIDTH * HEIGHT) as usize]].concat());

    let mut variants = Vec::new();
    let kinds: [(&str, Vec<Chunk>, Outcome); 4] = [
        ("lossless", opaque, Whole),
        ("transparent", transparent, HalfOpaque),
        ("lossy", vec![lossy.clone()], Any),
        ("lossy-transparent", vec![alpha, lossy], Any),
    ];
    for (name, image, outcome) in &kinds {
        flags(&mut variants, name, image, *outcome);
        chunks(&mut variants, name, image, *outcome);
        ends(&mut variants, name, image, *outcome);
    }
    animations(&mut variants, &kinds[0].1[0].1);
    variants
}

fn add(variants: &mut Vec<Variant>, name: impl AsRef<str>, file: Vec<u8>, outcome: Outcome) {
    variants.push(Variant { name: format!("webp-{}.webp", name.as_ref()), file, outcome });
}

fn file(chunks: &[Chunk]) -> Vec<u8> {
    webp_of(&chunks.iter().map(|(name, content)| (*name, &content[..])).collect::<Vec<_>>())
}

fn features(flags: u8) -> Chunk {
    (b"VP8X", webp_features(flags, WIDTH, HEIGHT))
}

/// The flags that the chunks of an image need.
fn right_flags(name: &str) -> u8 {
    if name.contains("transparent") { 0b1_0000 } else { 0 }
}

/// All combinations of flags, whether they are right or not. The lowest bit is reserved.
fn flags(variants: &mut Vec<Variant>, name: &str, image: &[Chunk], outcome: Outcome) {
    for flags in (0..64).step_by(2) {
        let chunks = [&[features(flags)], image].concat();
        add(variants, format!("flags-{name}-{flags:06b}"), file(&chunks), outcome);
    }
}

/// Chunks that are not needed, at each place.
fn chunks(variants: &mut Vec<Variant>, name: &str, image: &[Chunk], outcome: Outcome) {
    if name != "lossy-transparent" {
        add(variants, format!("chunks-{name}-simple"), file(image), outcome);
    }
    for (label, chunk) in [
        ("exif", (b"EXIF", exif(1))),
        ("exif-odd", (b"EXIF", [exif(1), vec![0]].concat())),
        ("exif-broken", (b"EXIF", b"broken".to_vec())),
        ("xmp", (b"XMP ", b"<x:xmpmeta/>".to_vec())),
        ("profile-broken", (b"ICCP", b"broken".to_vec())),
        ("unknown", (b"ABCD", b"unknown".to_vec())),
        ("empty", (b"ABCD", Vec::new())),
    ] {
        for flags in [right_flags(name), right_flags(name) | 0b10_1100] {
            let before = [&[features(flags), chunk.clone()], image].concat();
            add(variants, format!("chunks-{name}-{label}-before-{flags:06b}"), file(&before), outcome);
            let after = [&[features(flags)], image, std::slice::from_ref(&chunk)].concat();
            add(variants, format!("chunks-{name}-{label}-after-{flags:06b}"), file(&after), outcome);
        }
    }
}

/// Files that end too early or too late, or state another length.
fn ends(variants: &mut Vec<Variant>, name: &str, image: &[Chunk], outcome: Outcome) {
    let flags = right_flags(name) | 0b1000;
    let whole = file(&[&[features(flags)], image, &[(b"EXIF", exif(1))]].concat());
    let with_length =
        |file: &[u8], length: usize| [&file[..4], &u32::try_from(length).unwrap().to_le_bytes(), &file[8..]].concat();
    // The last chunk has 46 bytes.
    for missing in [1, 2, 20, 37, 38, 42, 46] {
        let cut = &whole[..whole.len() - missing];
        add(variants, format!("ends-{name}-less-{missing}"), cut.to_vec(), outcome);
        add(variants, format!("ends-{name}-less-{missing}-stated"), with_length(cut, cut.len() - 8), outcome);
    }
    for (percent, outcome) in [(10, Any), (50, Any)] {
        let cut = &whole[..whole.len() - 46 - (whole.len() - 46) * percent / 100];
        add(variants, format!("ends-{name}-less-{percent}-percent"), cut.to_vec(), outcome);
    }
    for (label, more) in [("zeros", &[0; 9][..]), ("text", b"some text"), ("picture", &whole)] {
        add(variants, format!("ends-{name}-then-{label}"), [&whole, more].concat(), outcome);
        let stated = [&whole, more].concat();
        add(variants, format!("ends-{name}-then-{label}-stated"), with_length(&stated, stated.len() - 8), Any);
    }
    for (label, length) in
        [("0", 0), ("4", 4), ("12", 12), ("30", 30), ("more", whole.len()), ("twice", whole.len() * 2)]
    {
        add(variants, format!("ends-{name}-states-{label}"), with_length(&whole, length), Any);
    }
    let mut small = whole.clone();
    small[24..27].copy_from_slice(&[9, 0, 0]);
    add(variants, format!("ends-{name}-other-canvas"), small, Rejected);
}

fn animations(variants: &mut Vec<Variant>, stream: &[u8]) {
    let size = [&(WIDTH - 1).to_le_bytes()[..3], &(HEIGHT - 1).to_le_bytes()[..3]].concat();
    let image = files::riff_chunks(&[(b"VP8L", stream)]);
    let frame = (b"ANMF", [&[0; 6], &size[..], &[100, 0, 0, 2], &image].concat());
    let control = (b"ANIM", vec![0; 6]);
    for flags in (0..64).step_by(2) {
        let animated = flags & 0b10 != 0;
        let outcome = if animated { Whole } else { Rejected };
        let chunks = [features(flags), control.clone(), frame.clone(), frame.clone()];
        add(variants, format!("animation-flags-{flags:06b}"), file(&chunks), outcome);
    }
    let whole = file(&[features(0b10), control.clone(), frame.clone(), frame.clone()]);
    add(variants, "animation-second-frame-cut", whole[..whole.len() - 100].to_vec(), Any);
    add(variants, "animation-without-control", file(&[features(0b10), frame.clone()]), Rejected);
    let unknown = file(&[features(0b10), control, (b"ABCD", vec![1; 3]), frame]);
    add(variants, "animation-unknown-chunk", unknown, Whole);
}
