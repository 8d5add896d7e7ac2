//! The uploads that are measured.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use image_webp::ColorType as WebP;
use jpeg_encoder::{ColorType as Jpeg, SamplingFactor};
use png::{BitDepth, ColorType as Png};

use crate::draw::photo;

#[path = "../../../../pictures/tests/files/mod.rs"]
pub(crate) mod files;

/// The maximum size of an upload, which its form states.
const MAX_UPLOAD_BYTES: usize = 20_000_000;

/// An upload in a file.
pub(crate) struct Upload {
    pub(crate) name: &'static str,
    pub(crate) file: PathBuf,
    pub(crate) bytes: usize,
}

/// Writes a photo of 12 megapixels as a phone takes it.
pub(crate) fn of_a_phone(directory: &Path) -> Result<Upload> {
    let file = files::jpeg_with(4032, 3024, Jpeg::Rgb, &photo(4032, 3024, 12.0), |encoder| {
        encoder.set_quality(90);
        encoder.set_sampling_factor(SamplingFactor::F_2_2);
    });
    write(directory, "JPEG, 12 megapixels", &file)
}

/// Writes pictures of 64 megapixels, each of which is less than the largest upload.
pub(crate) fn largest(directory: &Path) -> Result<Vec<Upload>> {
    let square = photo(8000, 8000, 3.0);
    let jpeg = |is_progressive| {
        files::jpeg_with(8000, 8000, Jpeg::Rgb, &square, |encoder| {
            encoder.set_quality(80);
            encoder.set_progressive(is_progressive);
        })
    };
    let mut uploads =
        vec![write(directory, "JPEG", &jpeg(false))?, write(directory, "JPEG, progressive, 4:4:4", &jpeg(true))?];
    // What is narrow is not reduced, so all of its pixels are in memory.
    let inks: Vec<u8> = photo(1600, 40_000, 0.0).chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 9]).collect();
    let cmyk = files::jpeg_with(1600, 40_000, Jpeg::Cmyk, &inks, |encoder| {
        encoder.set_quality(70);
        encoder.set_progressive(true);
    });
    drop(inks);
    uploads.push(write(directory, "JPEG, progressive, CMYK, 1600 × 40,000", &cmyk)?);
    uploads.push(write(directory, "the same with the most work that is accepted", &files::hostile::most_work())?);
    drop(square);

    let smooth = photo(8000, 8000, 0.0);
    let coarse = smooth.iter().map(|value| value & 0xc0);
    let opaque: Vec<u8> =
        coarse.clone().collect::<Vec<_>>().chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 200]).collect();
    let wide: Vec<u8> = opaque.iter().flat_map(|&value| [value, 0]).collect();
    uploads.push(write(
        directory,
        "PNG, 16 bits, RGBA",
        &files::png((8000, 8000), Png::Rgba, BitDepth::Sixteen, &wide, &[]),
    )?);
    drop(wide);
    let interlaced = files::png_of(&[
        (b"IHDR", &[&1600_u32.to_be_bytes()[..], &40_000_u32.to_be_bytes(), &[16, 6, 0, 0, 1]].concat()),
        (b"IDAT", &files::compressed_zeros(513 << 20)),
        (b"IEND", &[]),
    ]);
    uploads.push(write(directory, "PNG, 16 bits, RGBA, interlaced, 1600 × 40,000", &interlaced)?);
    let blocks = files::hostile::png_of_empty_blocks(1_700_000);
    uploads.push(write(directory, "PNG, 8 × 8, 1.7 million empty blocks of compressed data", &blocks)?);
    uploads.push(write(directory, "WebP, lossless, RGBA", &files::webp(8000, 8000, WebP::Rgba8, &opaque))?);
    drop(opaque);
    let coarse: Vec<u8> = coarse.collect();
    uploads.push(write(directory, "WebP, lossless, RGB", &files::webp(8000, 8000, WebP::Rgb8, &coarse))?);
    let animation = files::hostile::webp_of_one_color(true);
    uploads.push(write(directory, "WebP, animation, one color, three transforms", &animation)?);
    Ok(uploads)
}

fn write(directory: &Path, name: &'static str, content: &[u8]) -> Result<Upload> {
    ensure!(content.len() <= MAX_UPLOAD_BYTES, "{name} has {} bytes, which no upload may have", content.len());
    let file = directory.join(name.replace([' ', ','], "-"));
    fs::write(&file, content).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(Upload { name, file, bytes: content.len() })
}
