//! Colors as sRGB.

use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use crate::bitmap::{Channels, Picture, Raster};

/// The maximum size of a profile. Those of printers have up to 3 MB.
const MAX_PROFILE_BYTES: usize = 4 * 1024 * 1024;
/// The maximum number of tags of a profile. The
/// [specification](https://www.color.org/specification/ICC.1-2022-05.pdf) knows 50. Every tag may
/// be the same table of 4 MB, and each is parsed.
const MAX_TAGS: u32 = 100;

/// Converts a raster by its ICC profile.
///
/// A profile that is broken, or is not for these channels, is ignored, as browsers do: the colors
/// are then a little off, and the photo can still be recognized. Its owner could do nothing about a
/// rejection.
pub(crate) fn to_srgb(raster: Raster, icc_profile: Option<&[u8]>) -> Picture {
    let converted = icc_profile.and_then(|profile| by_profile(&raster, profile));
    let pixels = converted.unwrap_or_else(|| without_profile(raster.channels, raster.pixels));
    Picture { width: raster.width, height: raster.height, pixels }
}

fn by_profile(raster: &Raster, profile: &[u8]) -> Option<Vec<u8>> {
    // The number of tags is in the first bytes after the header, which has 128.
    let tags = u32::from_be_bytes(*profile.get(128..)?.first_chunk()?);
    if profile.len() > MAX_PROFILE_BYTES || tags > MAX_TAGS {
        return None;
    }
    let profile = ColorProfile::new_from_slice(profile).ok()?;
    // moxcms has no layout of its own for CMYK.
    let (space, layout) = match raster.channels {
        Channels::Gray => (DataColorSpace::Gray, Layout::Gray),
        Channels::Rgb => (DataColorSpace::Rgb, Layout::Rgb),
        Channels::Cmyk => (DataColorSpace::Cmyk, Layout::Rgba),
    };
    if profile.color_space != space {
        return None;
    }
    let srgb = ColorProfile::new_srgb();
    let transform = profile.create_transform_8bit(layout, &srgb, Layout::Rgb, TransformOptions::default()).ok()?;
    let mut pixels = vec![0; raster.pixels.len() / raster.channels.count() * 3];
    transform.transform(&raster.pixels, &mut pixels).ok()?;
    Some(pixels)
}

fn without_profile(channels: Channels, pixels: Vec<u8>) -> Vec<u8> {
    match channels {
        Channels::Gray => pixels.into_iter().flat_map(|value| [value; 3]).collect(),
        Channels::Rgb => pixels,
        // Each ink takes its share of the light.
        Channels::Cmyk => pixels
            .chunks_exact(4)
            .flat_map(|inks| {
                let light = |ink: u8| u32::from(255 - ink);
                [0, 1, 2].map(|ink| {
                    let value = (light(inks[ink]) * light(inks[3]) + 127) / 255;
                    u8::try_from(value).expect("a product of shares is a share")
                })
            })
            .collect(),
    }
}
