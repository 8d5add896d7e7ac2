use jpeg_decoder::{CodingProcess, Decoder, Error, PixelFormat};

use crate::bitmap::{Channels, Raster};
use crate::decoded::{Decoded, check_size, target};
use crate::exif::Orientation;
use crate::rejection::Rejection;

mod segments;

use segments::Segments;

/// Decodes a JPEG at a scale of eighths that leaves at least the target size.
pub(super) fn decode(file: &[u8]) -> Result<Decoded, Rejection> {
    let mut decoder = Decoder::new(file);
    decoder.read_info()?;
    let info = decoder.info().ok_or(Rejection::Damaged)?;
    let size = (u32::from(info.width), u32::from(info.height));
    check_size(size)?;
    let channels = match info.pixel_format {
        _ if info.coding_process == CodingProcess::Lossless => return Err(Rejection::UnsupportedVariant),
        PixelFormat::L8 => Channels::Gray,
        PixelFormat::RGB24 => Channels::Rgb,
        PixelFormat::CMYK32 => Channels::Cmyk,
        PixelFormat::L16 => return Err(Rejection::UnsupportedVariant),
    };
    let segments = Segments::read(file)?;

    let orientation = decoder.exif_data().map(Orientation::from_exif).unwrap_or_default();
    let target = target(size, orientation);
    let scale = scale(size, target);
    if scale < 8 {
        // The decoder takes the smallest scale that satisfies one of the sides, so the other one is
        // made impossible.
        let short = |pixels: u32| u16::try_from(pixels).expect("a side has at most 65,500 pixels");
        let requested = if size.0 >= size.1 { (short(target.0), u16::MAX) } else { (u16::MAX, short(target.1)) };
        decoder.scale(requested.0, requested.1)?;
    }
    let mut pixels = decoder.decode()?;
    let reduced = decoder.info().ok_or(Rejection::Damaged)?;
    if channels == Channels::Cmyk && !segments.is_adobe {
        // The decoder takes the values for those of Adobe's programs, which store full ink as 0.
        for value in &mut pixels {
            *value = 255 - *value;
        }
    }
    let extent = |pixels: u32| (f64::from(pixels * scale) / 8.0).max(1.0);
    let raster = Raster {
        width: u32::from(reduced.width),
        height: u32::from(reduced.height),
        extent: (extent(size.0), extent(size.1)),
        channels,
        pixels,
    };
    Ok(Decoded { raster, target, orientation, icc_profile: decoder.icc_profile() })
}

/// Returns the smallest scale, in eighths, at which the longer side has at least the pixels of the
/// target.
fn scale(size: (u32, u32), target: (u32, u32)) -> u32 {
    let (full, wanted) = if size.0 >= size.1 { (size.0, target.0) } else { (size.1, target.1) };
    if full == wanted {
        return 8;
    }
    [1, 2, 4].into_iter().find(|scale| (full * scale).div_ceil(8) >= wanted).unwrap_or(8)
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        match error {
            Error::Unsupported(_) => Self::UnsupportedVariant,
            Error::Format(_) | Error::Io(_) | Error::Internal(_) => Self::Damaged,
        }
    }
}
