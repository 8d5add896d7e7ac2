//! Making pictures smaller with a Lanczos filter.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::{U8, U8x3, U8x4};
use fast_image_resize::{FilterType, PixelTrait, ResizeAlg, ResizeOptions, Resizer};

use crate::bitmap::{Channels, Picture, Raster};

/// Returns the raster with this width and height.
pub(crate) fn to_target(raster: Raster, (width, height): (u32, u32)) -> Raster {
    if (raster.width, raster.height) == (width, height) {
        return raster;
    }
    let pixels = filtered(&raster.pixels, raster.channels, (raster.width, raster.height), raster.extent, width, height);
    let extent = (f64::from(width), f64::from(height));
    Raster { width, height, extent, channels: raster.channels, pixels }
}

/// Returns the picture with at most this width.
pub(crate) fn to_width(picture: &Picture, max_width: u32) -> Picture {
    let (width, height) = fitting((picture.width, picture.height), max_width);
    to_size(picture, width, height)
}

/// Returns the picture with this width and height.
pub(crate) fn to_size(picture: &Picture, width: u32, height: u32) -> Picture {
    let size = (picture.width, picture.height);
    let extent = (f64::from(picture.width), f64::from(picture.height));
    Picture { width, height, pixels: filtered(&picture.pixels, Channels::Rgb, size, extent, width, height) }
}

/// Returns the width and height of a picture that is reduced to at most this width.
pub(crate) fn fitting((width, height): (u32, u32), max_width: u32) -> (u32, u32) {
    if width <= max_width {
        return (width, height);
    }
    let (scaled, width) = (u64::from(height) * u64::from(max_width), u64::from(width));
    let height = u32::try_from((scaled + width / 2) / width).expect("the height does not grow");
    (max_width, height.max(1))
}

fn filtered(
    pixels: &[u8],
    channels: Channels,
    size: (u32, u32),
    extent: (f64, f64),
    width: u32,
    height: u32,
) -> Vec<u8> {
    // `Resizer::resize` would choose among all pixel types, and have the compiler make code for
    // each of them.
    let filter = match channels {
        Channels::Gray => filtered_as::<U8>,
        Channels::Rgb => filtered_as::<U8x3>,
        // The fourth channel is ink, not transparency.
        Channels::Cmyk => filtered_as::<U8x4>,
    };
    filter(pixels, size, extent, width, height)
}

fn filtered_as<P: PixelTrait>(pixels: &[u8], size: (u32, u32), extent: (f64, f64), width: u32, height: u32) -> Vec<u8> {
    let source = TypedImageRef::<P>::from_buffer(size.0, size.1, pixels).expect("the pixels fill the size");
    let mut pixels = vec![0; width as usize * height as usize * P::size()];
    let mut target = TypedImage::<P>::from_buffer(width, height, &mut pixels).expect("the pixels fill the size");
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
        .crop(0.0, 0.0, extent.0, extent.1)
        .use_alpha(false);
    Resizer::new().resize_typed(&source, &mut target, &options).expect("the crop is inside");
    pixels
}
