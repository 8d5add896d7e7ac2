//! Decoding a file within the limits.

mod jpeg;
mod png;
mod webp;

use crate::decoded::Decoded;
use crate::rejection::Rejection;

/// The brands of HEIC pictures and sequences in ISO/IEC 23008-12, which are refused by name.
///
/// Decoders in pure Rust with a permissive licence exist, and read what libheif writes: heifer
/// 0.3.22, heic-rs 0.1.4 and heic-decoder 0.1.1. But a grid refers to its tiles in two bytes each,
/// may refer to one of them 50,000 times, and each reference is decoded. No limit of theirs counts
/// that: such a file of 103 KB, with a tile of one megapixel, took heifer more than 40 s of CPU,
/// and heic-rs more than 3 GB.
const HEIC_BRANDS: [&[u8]; 10] =
    [b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"];

/// Decodes a file by its first bytes.
pub(crate) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    match file {
        [0xff, 0xd8, 0xff, ..] => jpeg::decode(file),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png::decode(file),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp::decode(file),
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..]
            if HEIC_BRANDS.iter().any(|known| brand.starts_with(known)) =>
        {
            Err(Rejection::Heic)
        }
        _ => Err(Rejection::UnknownFormat),
    }
}
