//! Pictures as files.

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::bitmap::Picture;
use crate::limits::QUALITY;
use crate::resize;

/// The sides of the picture that a blurhash is computed from, in pixels. It has so few details that
/// more change nothing.
const BLURHASH_SIDE: u32 = 32;

/// Returns the picture as a baseline JPEG with the segments that every JPEG needs, and no others.
///
/// Optimized Huffman tables would make it 3 % smaller, but the encoder then writes one scan for
/// each channel, for which a decoder has to keep the whole picture in memory. mozjpeg would make it
/// 19 % smaller for 7 times the CPU time, and lossy WebP by libwebp 22 % for 11 times, at the same
/// SSIMULACRA2 of 33 photos. Both are C, and no encoder for lossy WebP in Rust is well kept.
pub(crate) fn jpeg(picture: &Picture) -> Vec<u8> {
    let side = |pixels: u32| u16::try_from(pixels).expect("a side has at most 65,500 pixels");
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, QUALITY);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder
        .encode(&picture.pixels, side(picture.width), side(picture.height), ColorType::Rgb)
        .expect("memory takes every byte, and the pixels fill the size");
    file
}

/// Returns the blurhash, with four components along the longer side and three along the other.
pub(crate) fn blurhash(picture: &Picture) -> String {
    let (x, y) = if picture.width >= picture.height { (4, 3) } else { (3, 4) };
    let tiny = resize::to_size(picture, picture.width.min(BLURHASH_SIDE), picture.height.min(BLURHASH_SIDE));
    let rgba: Vec<u8> = tiny.pixels.chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]).collect();
    blurhash::encode(x, y, tiny.width, tiny.height, &rgba).expect("a blurhash may have these components")
}
