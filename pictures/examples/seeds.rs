//! Writes small pictures of every kind to a directory, from which the fuzz target starts:
//! `cargo run --package pictures --example seeds fuzz/corpus/pictures`.

#![allow(clippy::unwrap_used)]

#[path = "../tests/files/mod.rs"]
mod files;

use std::fs;
use std::path::PathBuf;

use files::{jpeg, jpeg_with, plain, png, waves, webp};
use jpeg_encoder::{ColorType as Jpeg, SamplingFactor};
use png::{BitDepth, ColorType as Png};

fn main() {
    let directory = PathBuf::from(std::env::args_os().nth(1).expect("the directory is the argument"));
    fs::create_dir_all(&directory).unwrap();
    for (index, file) in seeds().into_iter().enumerate() {
        fs::write(directory.join(format!("seed-{index}")), file).unwrap();
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let photo = waves(24, 18);
    let pixels = 24 * 18;
    let profile =
        files::icc_profile([[0.5151, 0.2412, -0.0011], [0.2920, 0.6922, 0.0419], [0.1571, 0.0666, 0.7841]], 2.2);
    let compressed = [b"name\0\0", &files::stored(&profile)[..]].concat();
    let tables = [b"name\0\0", &files::stored(&files::hostile::profile_of_tables(9, 90))[..]].concat();
    let exif = [b"Exif\0\0", &files::exif(6)[..]].concat();
    let segments: [(u8, &[u8]); 3] =
        [(0xe1, &exif), (0xe2, &[b"ICC_PROFILE\0\x01\x01", &profile[..]].concat()), (0xfe, b"comment")];
    let baseline = jpeg(24, 18, Jpeg::Rgb, &photo);
    let mut seeds = vec![files::with_segments(&baseline, &segments), jpeg(24, 18, Jpeg::Luma, &plain(&[9], pixels))];
    for is_progressive in [false, true] {
        seeds.push(jpeg_with(24, 18, Jpeg::Rgb, &photo, |encoder| {
            encoder.set_progressive(is_progressive);
            encoder.set_sampling_factor(SamplingFactor::F_2_2);
            encoder.set_restart_interval(1);
        }));
        seeds.push(jpeg_with(24, 18, Jpeg::CmykAsYcck, &plain(&[1, 2, 90, 4], pixels), |encoder| {
            encoder.set_progressive(is_progressive);
        }));
    }
    seeds.push(jpeg(1700, 2, Jpeg::Rgb, &waves(1700, 2)));
    let chunks: [(&[u8; 4], &[u8]); 2] = [(b"iCCP", &compressed), (b"eXIf", &files::exif(8))];
    seeds.push(png((24, 18), Png::Rgb, BitDepth::Eight, &photo, &chunks));
    seeds.push(png((24, 18), Png::Grayscale, BitDepth::One, &plain(&[0x55], 54), &[]));
    seeds.push(png((24, 18), Png::Rgba, BitDepth::Sixteen, &plain(&[7], pixels * 8), &[]));
    seeds.push(files::png_of(&[
        (b"IHDR", &files::png_header(8, 8, 0, true)),
        (b"IDAT", &files::stored(&[0; 64 + 15])),
        (b"IEND", &[]),
    ]));
    let lossless = webp(24, 18, image_webp::ColorType::Rgba8, &plain(&[7, 8, 9, 100], pixels));
    seeds.push(webp(24, 18, image_webp::ColorType::Rgb8, &photo));
    seeds.push(files::webp_of(&[
        (b"VP8X", &files::webp_features(0b11_1000, 24, 18)),
        (b"ICCP", &profile),
        (b"VP8L", &lossless[20..]),
        (b"EXIF", &exif),
    ]));
    seeds.push(files::webp_animation(24, 18, &[lossless[12..].to_vec(), lossless[12..].to_vec()]));
    seeds.push(files::webp_of(&[(b"VP8 ", &files::lossy_gray(24, 18)[..300])]));
    // Small files that ask for much work or memory.
    seeds.push(files::hostile::progressive(99, 0));
    seeds.push(files::hostile::png_of_empty_blocks(800));
    seeds.push(png((24, 18), Png::Rgb, BitDepth::Eight, &photo, &[(b"iCCP", &tables)]));
    seeds.push(files::hostile::webp_of_groups(30));
    seeds.push(files::hostile::webp_of_one_color(false));
    seeds.push(files::hostile::webp_of_one_color(true));
    seeds
}
