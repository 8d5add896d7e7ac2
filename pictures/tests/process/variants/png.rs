use png::{BitDepth, ColorType};

use super::Outcome::{HalfOpaque, Rejected, Some as Any, Whole};
use super::{Outcome, Variant, picture};
use crate::files::{self, chunks_named, png_header, png_of, stored};

const WIDTH: usize = 75;
const HEIGHT: usize = 54;
/// The chunk of a PNG that its pixels are in, and that of its end.
const DATA: &[u8; 4] = b"IDAT";
const END: &[u8; 4] = b"IEND";

type Chunk = (&'static [u8; 4], Vec<u8>);

pub(super) fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    kinds(&mut variants);
    for is_interlaced in [false, true] {
        for has_alpha in [false, true] {
            ends(&mut variants, is_interlaced, has_alpha);
        }
    }
    variants
}

fn add(variants: &mut Vec<Variant>, name: impl AsRef<str>, file: Vec<u8>, outcome: Outcome) {
    variants.push(Variant { name: format!("png-{}.png", name.as_ref()), file, outcome });
}

/// Returns the picture with an opacity of a half.
fn half_opaque() -> Vec<u8> {
    picture(WIDTH, HEIGHT).chunks_exact(3).flat_map(|rgb| [rgb, &[128]].concat()).collect()
}

/// Returns the rows of a picture with the filter 0 before each, all at once or in seven passes.
fn rows(pixels: &[u8], channels: usize, is_interlaced: bool) -> Vec<u8> {
    let passes = if is_interlaced {
        vec![(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    } else {
        vec![(0, 0, 1, 1)]
    };
    let mut rows = Vec::new();
    for (x, y, dx, dy) in passes {
        for row in (y..HEIGHT).step_by(dy) {
            rows.push(0);
            for column in (x..WIDTH).step_by(dx) {
                rows.extend(&pixels[(row * WIDTH + column) * channels..][..channels]);
            }
        }
    }
    rows
}

fn kinds(variants: &mut Vec<Variant>) {
    let size = (u32::try_from(WIDTH).unwrap(), u32::try_from(HEIGHT).unwrap());
    let rgb = picture(WIDTH, HEIGHT);
    let wide = |bytes: &[u8]| bytes.iter().flat_map(|&value| [value, value]).collect::<Vec<_>>();
    for (name, colors, depth, pixels, outcome) in [
        ("rgb", ColorType::Rgb, BitDepth::Eight, rgb.clone(), Whole),
        ("rgb-16", ColorType::Rgb, BitDepth::Sixteen, wide(&rgb), Whole),
        ("rgba", ColorType::Rgba, BitDepth::Eight, half_opaque(), HalfOpaque),
        ("rgba-16", ColorType::Rgba, BitDepth::Sixteen, wide(&half_opaque()), HalfOpaque),
        ("gray", ColorType::Grayscale, BitDepth::Eight, rgb[..WIDTH * HEIGHT].to_vec(), Any),
        ("gray-alpha", ColorType::GrayscaleAlpha, BitDepth::Eight, rgb[..WIDTH * HEIGHT * 2].to_vec(), Any),
        ("gray-1", ColorType::Grayscale, BitDepth::One, rgb[..WIDTH.div_ceil(8) * HEIGHT].to_vec(), Any),
        ("gray-2", ColorType::Grayscale, BitDepth::Two, rgb[..WIDTH.div_ceil(4) * HEIGHT].to_vec(), Any),
        ("gray-4", ColorType::Grayscale, BitDepth::Four, rgb[..WIDTH.div_ceil(2) * HEIGHT].to_vec(), Any),
    ] {
        let file = files::png(size, colors, depth, &pixels, &[]);
        add(variants, format!("kind-{name}"), file, outcome);
    }
    for entries in [1_u8, 8, 255] {
        // Indexes beyond the palette are black.
        let palette: Vec<u8> = (0..entries).flat_map(|entry| [entry, 200 - entry / 2, 90]).collect();
        let indexes: Vec<u8> = (0..HEIGHT * WIDTH).map(|at| u8::try_from(at % WIDTH).unwrap()).collect();
        for transparency in [&[][..], &[0, 128]] {
            let mut chunks = vec![(b"IHDR", png_header(size.0, size.1, 3, false)), (b"PLTE", palette.clone())];
            if !transparency.is_empty() {
                chunks.push((b"tRNS", transparency[..transparency.len().min(entries.into())].to_vec()));
            }
            chunks.extend([(DATA, stored(&rows(&indexes, 1, false))), (END, Vec::new())]);
            add(variants, format!("kind-palette-{entries}-{}", transparency.len()), file(&chunks), Any);
        }
    }
}

fn file(chunks: &[Chunk]) -> Vec<u8> {
    png_of(&chunks.iter().map(|(name, content)| (*name, &content[..])).collect::<Vec<_>>())
}

/// Returns the position of the name of the first chunk of this kind.
fn position(file: &[u8], name: &[u8]) -> usize {
    file.windows(4).position(|window| window == name).unwrap()
}

/// Variants of the chunks after and between the pixels, and of checksums.
fn ends(variants: &mut Vec<Variant>, is_interlaced: bool, has_alpha: bool) {
    let (pixels, channels, outcome) =
        if has_alpha { (half_opaque(), 4, HalfOpaque) } else { (picture(WIDTH, HEIGHT), 3, Whole) };
    let header = png_header(
        u32::try_from(WIDTH).unwrap(),
        u32::try_from(HEIGHT).unwrap(),
        if has_alpha { 6 } else { 2 },
        is_interlaced,
    );
    let rows = rows(&pixels, channels, is_interlaced);
    let compressed = {
        // One row of bytes, with a filter before it that the stream of the encoder has too.
        let length = u32::try_from(rows.len()).unwrap();
        chunks_named(&files::png((length - 1, 1), ColorType::Grayscale, BitDepth::Eight, &rows[1..], &[]), DATA)
    };
    let prefix = if is_interlaced { "interlaced" } else { "rows" };
    for (kind, stream) in [("stored", stored(&rows)), ("compressed", compressed)] {
        let name = |what: &str| format!("{prefix}-{channels}-{kind}-{what}");
        let of = |chunks: &[Chunk]| {
            let mut all: Vec<Chunk> = vec![(b"IHDR", header.clone())];
            all.extend(chunks.iter().cloned());
            file(&all)
        };
        let whole = of(&[(DATA, stream.clone()), (END, Vec::new())]);
        add(variants, name("whole"), whole.clone(), outcome);
        for missing in [1, 4, 5, 8, 11, 12] {
            add(variants, name(&format!("ends-less-{missing}")), whole[..whole.len() - missing].to_vec(), outcome);
        }
        // The checksum of the last chunk of pixels, and that of the stream.
        for missing in [14, 16, 18, 20] {
            add(variants, name(&format!("ends-less-{missing}")), whole[..whole.len() - missing].to_vec(), outcome);
        }
        for (percent, outcome) in [(2, Any), (10, Rejected), (50, Rejected)] {
            let length = whole.len() - stream.len() * percent / 100;
            add(variants, name(&format!("ends-less-{percent}-percent")), whole[..length].to_vec(), outcome);
            let shorter = stream[..stream.len() * (100 - percent) / 100].to_vec();
            let closed = of(&[(DATA, shorter), (END, Vec::new())]);
            let outcome = if percent < 10 { Any } else { outcome };
            add(variants, name(&format!("ends-less-{percent}-percent-closed")), closed, outcome);
        }
        for (what, more) in [("zeros", &[0; 50][..]), ("text", b"some text"), ("picture", &whole)] {
            add(variants, name(&format!("ends-then-{what}")), [&whole, more].concat(), outcome);
            add(
                variants,
                name(&format!("ends-without-end-then-{what}")),
                [&whole[..whole.len() - 12], more].concat(),
                outcome,
            );
        }
        let mut changed = |what: &str, at: usize| {
            let mut file = whole.clone();
            file[at] ^= 0x55;
            add(variants, name(&format!("wrong-{what}")), file, outcome);
        };
        changed("crc-of-header", position(&whole, b"IHDR") + 4 + 13);
        changed("crc-of-data", whole.len() - 13);
        changed("crc-of-end", whole.len() - 1);
        changed("name-of-end", whole.len() - 6);
        let mut adler = stream.clone();
        *adler.last_mut().unwrap() ^= 0x55;
        add(variants, name("wrong-adler"), of(&[(DATA, adler), (END, Vec::new())]), outcome);
        let without = stream[..stream.len() - 4].to_vec();
        add(variants, name("without-adler"), of(&[(DATA, without), (END, Vec::new())]), outcome);
        let longer = [&stream[..], b"some more bytes"].concat();
        add(variants, name("longer-data"), of(&[(DATA, longer), (END, Vec::new())]), outcome);
        for parts in [100, 1000] {
            let mut chunks: Vec<Chunk> = stream.chunks(parts).map(|part| (DATA, part.to_vec())).collect();
            chunks.push((END, Vec::new()));
            add(variants, name(&format!("parts-of-{parts}")), of(&chunks), outcome);
            chunks.insert(1, (DATA, Vec::new()));
            add(variants, name(&format!("parts-of-{parts}-and-none")), of(&chunks), outcome);
        }
        for (chunk, content) in [
            (b"tEXt", b"Comment\0text".to_vec()),
            (b"prVt", b"private".to_vec()),
            (b"eXIf", b"broken".to_vec()),
            (b"iCCP", b"broken\0\0\x78\x01\x00".to_vec()),
            (b"gAMA", vec![0, 0, 0xb1, 0x8f]),
            (b"tIME", vec![1, 2, 3]),
        ] {
            let sound = of(&[(chunk, content), (DATA, stream.clone()), (END, Vec::new())]);
            let label = String::from_utf8_lossy(chunk).to_lowercase();
            add(variants, name(&format!("chunk-{label}")), sound.clone(), outcome);
            let mut broken = sound.clone();
            broken[position(&sound, DATA) - 5] ^= 0x55;
            add(variants, name(&format!("chunk-{label}-wrong-crc")), broken, outcome);
        }
        let unknown = of(&[(b"CRIT", b"critical".to_vec()), (DATA, stream.clone()), (END, Vec::new())]);
        add(variants, name("chunk-unknown-critical"), unknown, Any);
    }
}
