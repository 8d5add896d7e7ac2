//! The files that visitors upload.

use std::fs;
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use png::{ColorType, Encoder};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

/// The width and the height of the picture.
const SIZE: (u32, u32) = (600, 400);

/// Returns a picture that no encoder makes small: each pixel has a random color.
pub(super) fn picture() -> Vec<u8> {
    let (width, height) = SIZE;
    let mut pixels = vec![0; (3 * width * height) as usize];
    StdRng::seed_from_u64(1).fill(&mut pixels[..]);
    let mut file = vec![];
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    file
}

/// Writes a file into a folder and returns its path.
pub(super) fn write(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Returns the content as a script takes it.
pub(super) fn as_text(content: &[u8]) -> String {
    BASE64_STANDARD.encode(content)
}
