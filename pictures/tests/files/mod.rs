//! Makes picture files, sound and hostile ones, by code.

#![allow(dead_code, unreachable_pub, reason = "each of the users makes some of the files")]
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the values fit")]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "a byte string is a reference")]
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;
use std::io::Cursor;

use image_webp::WebPEncoder;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

pub mod hostile;

pub const RED: [u8; 3] = [250, 30, 20];
pub const GREEN: [u8; 3] = [20, 200, 40];
pub const BLUE: [u8; 3] = [30, 40, 220];
pub const GRAY: [u8; 3] = [128, 128, 128];

/// Returns the pixels of one color.
pub fn plain(pixel: &[u8], pixels: usize) -> Vec<u8> {
    pixel.repeat(pixels)
}

/// Returns a picture whose quarters are red, green, blue and gray, from the top left to the bottom
/// right.
pub fn quarters(width: usize, height: usize) -> Vec<u8> {
    let color = |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => RED,
        (false, true) => GREEN,
        (true, false) => BLUE,
        (false, false) => GRAY,
    };
    (0..height).flat_map(|y| (0..width).flat_map(move |x| color(x, y))).collect()
}

/// Returns a gray picture of gentle waves, which an encoder can neither ignore nor fail at.
pub fn waves(width: usize, height: usize) -> Vec<u8> {
    let waves = |side, length: f64| (0..side).map(move |at| (f64::from(at) * PI / length).sin() * 60.0);
    let columns: Vec<_> = waves(u32::try_from(width).unwrap(), 17.0).collect();
    let rows = waves(u32::try_from(height).unwrap(), 23.0);
    rows.flat_map(|row| columns.iter().flat_map(move |column| [(128.0 + row + column) as u8; 3])).collect()
}

/// Encodes a JPEG without subsampling, so that its colors are those of the pixels.
pub fn jpeg(width: u16, height: u16, colors: ColorType, pixels: &[u8]) -> Vec<u8> {
    jpeg_with(width, height, colors, pixels, |_| {})
}

pub fn jpeg_with(
    width: u16,
    height: u16,
    colors: ColorType,
    pixels: &[u8],
    set: impl FnOnce(&mut Encoder<&mut Vec<u8>>),
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 95);
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    set(&mut encoder);
    encoder.encode(pixels, width, height, colors).unwrap();
    file
}

/// Returns a JPEG with these segments after its first marker.
pub fn with_segments(jpeg: &[u8], segments: &[(u8, &[u8])]) -> Vec<u8> {
    let mut file = jpeg[..2].to_vec();
    for (marker, content) in segments {
        file.extend([0xff, *marker]);
        file.extend(u16::try_from(content.len() + 2).unwrap().to_be_bytes());
        file.extend(*content);
    }
    file.extend(&jpeg[2..]);
    file
}

/// Encodes a PNG, with these chunks before its pixels.
pub fn png(
    (width, height): (u32, u32),
    colors: png::ColorType,
    depth: png::BitDepth,
    pixels: &[u8],
    chunks: &[(&[u8; 4], &[u8])],
) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(colors);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().unwrap();
    for (name, content) in chunks {
        writer.write_chunk(png::chunk::ChunkType(**name), content).unwrap();
    }
    writer.write_image_data(pixels).unwrap();
    writer.finish().unwrap();
    file
}

/// Returns a PNG of these chunks, which need not make sense.
pub fn png_of(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in chunks {
        file.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        let checked = [*name as &[u8], content].concat();
        file.extend(&checked);
        file.extend(crc32fast::hash(&checked).to_be_bytes());
    }
    file
}

/// Returns the content of the header of a PNG with 8 bits for each value.
pub fn png_header(width: u32, height: u32, color_type: u8, interlaced: bool) -> Vec<u8> {
    [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, color_type, 0, 0, u8::from(interlaced)]].concat()
}

/// Returns the zlib stream of this many zeros, which is a thousandth of them.
pub fn compressed_zeros(bytes: u32) -> Vec<u8> {
    let (width, height) = (65_535, bytes / 65_536);
    let file = png(
        (width, height),
        png::ColorType::Grayscale,
        png::BitDepth::Eight,
        &plain(&[0], (width * height) as usize),
        &[],
    );
    chunks_named(&file, b"IDAT")
}

/// Returns the contents of the chunks of a PNG with this name, joined.
pub fn chunks_named(png: &[u8], name: &[u8; 4]) -> Vec<u8> {
    let mut rest = &png[8..];
    let mut contents = Vec::new();
    while let Some((header, after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_be_bytes(header[..4].try_into().unwrap()) as usize;
        if header[4..] == name[..] {
            contents.extend(&after[..length]);
        }
        rest = &after[length + 4..];
    }
    contents
}

/// Encodes a lossless WebP picture.
pub fn webp(width: u32, height: u32, colors: image_webp::ColorType, pixels: &[u8]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    WebPEncoder::new(&mut file).encode(pixels, width, height, colors).unwrap();
    file.into_inner()
}

/// Returns a WebP file of these chunks.
pub fn webp_of(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let chunks = riff_chunks(chunks);
    let length = u32::try_from(chunks.len() + 4).unwrap();
    [b"RIFF", &length.to_le_bytes()[..], b"WEBP", &chunks].concat()
}

pub fn riff_chunks(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in chunks {
        bytes.extend(*name);
        bytes.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
        bytes.extend(*content);
        bytes.extend(&[0][..content.len() % 2]);
    }
    bytes
}

/// Returns the chunk VP8X: the features of a WebP file, and the size of its canvas.
pub fn webp_features(flags: u8, width: u32, height: u32) -> Vec<u8> {
    [&[flags, 0, 0, 0], &(width - 1).to_le_bytes()[..3], &(height - 1).to_le_bytes()[..3]].concat()
}

/// Returns an animated WebP file. Each frame covers the canvas, and its chunks are given.
pub fn webp_animation(width: u32, height: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let place = [&[0; 6], &(width - 1).to_le_bytes()[..3], &(height - 1).to_le_bytes()[..3], &[100, 0, 0, 2]].concat();
    let frames: Vec<_> = frames.iter().map(|chunks| [&place, &chunks[..]].concat()).collect();
    let features = webp_features(0b10010, width, height);
    let mut chunks: Vec<(&[u8; 4], &[u8])> = vec![(b"VP8X", &features), (b"ANIM", &[0; 6])];
    chunks.extend(frames.iter().map(|frame| (b"ANMF", &frame[..])));
    webp_of(&chunks)
}

/// Returns the content of the chunk `VP8 ` of a gray picture. Where a lossy frame has zeros for all
/// of its data, every choice in it is the first one: blocks that are predicted from their
/// neighbors, without corrections.
pub fn lossy_gray(width: u16, height: u16) -> Vec<u8> {
    let blocks = usize::from(width.div_ceil(16)) * usize::from(height.div_ceil(16));
    // Each choice takes a part of a bit. These are more bytes than any block takes.
    let first_partition = 400 + blocks * 12;
    let tag = 0b1_0000 | u32::try_from(first_partition).unwrap().min((1 << 19) - 1) << 5;
    let mut frame = tag.to_le_bytes()[..3].to_vec();
    frame.extend([0x9d, 0x01, 0x2a]);
    frame.extend(width.to_le_bytes());
    frame.extend(height.to_le_bytes());
    frame.resize(frame.len() + 2 * first_partition, 0);
    frame
}

/// Returns EXIF metadata, from its TIFF header on, with an orientation and the name of the camera.
pub fn exif(orientation: u16) -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x02".to_vec();
    // Tag, type ASCII, four bytes in place.
    tiff.extend(b"\x01\x0f\0\x02\0\0\0\x04CAM\0");
    tiff.extend(b"\x01\x12\0\x03\0\0\0\x01");
    tiff.extend(orientation.to_be_bytes());
    tiff.extend([0; 6]);
    tiff
}

/// Returns an ICC profile with these primaries (columns of X, Y and Z, adapted to D50) and this
/// gamma.
pub fn icc_profile(primaries: [[f64; 3]; 3], gamma: f64) -> Vec<u8> {
    let fixed = |value: f64| ((value * 65536.0).round() as i32).to_be_bytes();
    let xyz = |[x, y, z]: [f64; 3]| [b"XYZ \0\0\0\0".as_slice(), &fixed(x), &fixed(y), &fixed(z)].concat();
    let curve =
        [b"curv\0\0\0\0\0\0\0\x01".as_slice(), &((gamma * 256.0).round() as u16).to_be_bytes(), &[0, 0]].concat();
    let mut tags = vec![(b"wtpt", xyz([0.9642, 1.0, 0.8249]))];
    tags.extend([b"rXYZ", b"gXYZ", b"bXYZ"].into_iter().zip(primaries.map(xyz)));
    tags.extend([b"rTRC", b"gTRC", b"bTRC"].map(|name| (name, curve.clone())));
    profile(b"RGB ", &tags)
}

/// Returns an ICC profile of a monitor with these tags.
pub fn profile(space: &[u8; 4], tags: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let table = 128 + 4 + tags.len() * 12;
    let (mut directory, mut data) = (Vec::new(), Vec::new());
    for (name, content) in tags {
        directory.extend(*name);
        directory.extend(u32::try_from(table + data.len()).unwrap().to_be_bytes());
        directory.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        data.extend(content);
    }
    let mut file = u32::try_from(table + data.len()).unwrap().to_be_bytes().to_vec();
    file.extend(b"\0\0\0\0\x02\x40\0\0mntr");
    file.extend(space);
    file.extend(b"XYZ \0\0\0\0\0\0\0\0\0\0\0\0acsp");
    file.resize(68, 0);
    file.extend(b"\0\0\xf6\xd6\0\x01\0\0\0\0\xd3\x2d");
    file.resize(128, 0);
    file.extend(u32::try_from(tags.len()).unwrap().to_be_bytes());
    [file, directory, data].concat()
}

/// Returns a zlib stream of these bytes without compression.
pub fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let count = bytes.chunks(0xffff).count();
    for (index, block) in bytes.chunks(0xffff).enumerate() {
        let length = u16::try_from(block.len()).unwrap();
        stream.push(u8::from(index + 1 == count));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend(block);
    }
    let (a, b) = bytes
        .iter()
        .fold((1_u32, 0_u32), |(a, b), &byte| ((a + u32::from(byte)) % 65_521, (a + b + u32::from(byte)) % 65_521));
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}
