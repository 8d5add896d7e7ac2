//! Nothing of an upload but its pixels may come out.

use jpeg_encoder::ColorType as Jpeg;
use png::{BitDepth, ColorType as Png};

use crate::files::{self, exif, jpeg, jpeg_with, plain, png, quarters, with_segments};
use crate::processed;

/// A text that is in all metadata of the uploads below.
const SECRET: &[u8] = b"48.137154 N, 11.576124 E";

/// Returns the codes of the segments of a JPEG, up to its scan.
fn segments(jpeg: &[u8]) -> Vec<u8> {
    let mut codes = Vec::new();
    let mut rest = &jpeg[2..];
    while let [0xff, code, high, low, ..] = *rest {
        codes.push(code);
        if code == 0xda {
            break;
        }
        rest = &rest[2 + usize::from(u16::from_be_bytes([high, low]))..];
    }
    codes
}

/// Asserts that all sizes have the segments of a bare JPEG, one scan, and nothing after it.
fn assert_bare(file: &[u8]) {
    assert!(file.windows(SECRET.len()).any(|text| text == SECRET), "the upload has the secret");
    let (processed, _) = processed(file);
    for size in [Some(&processed.small), processed.medium.as_ref(), processed.large.as_ref()].into_iter().flatten() {
        let codes = segments(size);
        // JFIF, quantization, frame, Huffman tables and scan.
        assert_eq!(codes[0], 0xe0);
        assert!(codes[1..].iter().all(|code| [0xdb, 0xc0, 0xc4, 0xda].contains(code)), "{codes:x?}");
        assert_eq!(&size[2..6], [0xff, 0xe0, 0, 16], "JFIF without a thumbnail");
        assert!(size.ends_with(&[0xff, 0xd9]));
        assert_eq!(size.windows(2).filter(|marker| marker == &[0xff, 0xd9]).count(), 1);
        assert_eq!(size.windows(2).filter(|marker| marker == &[0xff, 0xda]).count(), 1);
        assert!(!size.windows(SECRET.len()).any(|text| text == SECRET));
    }
}

/// Returns a JPEG with all kinds of metadata: EXIF with a position and a thumbnail, XMP, IPTC, an
/// ICC profile, and comments.
pub(crate) fn talkative() -> Vec<u8> {
    let thumbnail = jpeg(16, 16, Jpeg::Rgb, &plain(&[255, 0, 0], 256));
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0".to_vec();
    // The directory of the position is at 26, and the next directory, of the thumbnail, at 56.
    exif.extend(b"\x25\x88\x04\0\x01\0\0\0\x1a\0\0\0\x38\0\0\0");
    exif.extend(b"\x02\0\x01\0\x02\0\x02\0\0\0N\0\0\0\x02\0\x05\0\x03\0\0\0\x62\0\0\0\0\0\0\0");
    exif.extend(b"\x03\0\x03\x01\x03\0\x01\0\0\0\x06\0\0\0\x01\x02\x04\0\x01\0\0\0\x7a\0\0\0\x02\x02\x04\0\x01\0\0\0");
    exif.extend(u32::try_from(thumbnail.len()).unwrap().to_le_bytes());
    exif.extend([0; 4]);
    for degrees in [48_u32, 8, 13] {
        exif.extend(degrees.to_le_bytes());
        exif.extend(1_u32.to_le_bytes());
    }
    exif.extend(thumbnail);
    exif.extend(SECRET);
    let xmp = [b"http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>", SECRET].concat();
    let iptc = [b"Photoshop 3.0\08BIM\x04\x04\0\0\0\0\0\x1d\x1c\x02\x5a\0\x18", SECRET].concat();
    let icc = files::icc_profile([[0.4361, 0.2225, 0.0139], [0.3851, 0.7169, 0.0971], [0.1431, 0.0606, 0.7141]], 2.2);
    let icc = [b"ICC_PROFILE\0\x01\x01", &icc[..], SECRET].concat();
    let plain = jpeg(640, 480, Jpeg::Rgb, &quarters(640, 480));
    with_segments(
        &plain,
        &[(0xe1, &exif), (0xe1, &xmp), (0xed, &iptc), (0xe2, &icc), (0xfe, SECRET), (0xeb, SECRET), (0xe5, SECRET)],
    )
}

#[test]
fn a_jpeg_with_metadata_comes_out_bare() {
    assert_bare(&talkative());
}

#[test]
fn a_polyglot_comes_out_as_pixels_alone() {
    let html = [b"<html><script>alert(1)</script>", SECRET].concat();
    let file = with_segments(&jpeg(64, 48, Jpeg::Rgb, &quarters(64, 48)), &[(0xfe, &html)]);
    assert_bare(&[&file[..], b"PK\x03\x04", SECRET].concat());
    assert_bare(&[&file[..], &html].concat());
    // A second picture, as phones append it.
    assert_bare(&[&file[..], &talkative()].concat());
}

#[test]
fn a_png_and_a_webp_with_metadata_come_out_bare() {
    let text = [b"Comment\0", SECRET].concat();
    let unicode = [b"XML:com.adobe.xmp\0\0\0\0\0", SECRET].concat();
    let chunks: [(&[u8; 4], &[u8]); 4] =
        [(b"tEXt", &text), (b"iTXt", &unicode), (b"eXIf", &[&exif(1)[..], SECRET].concat()), (b"prVt", SECRET)];
    let file = png((64, 48), Png::Rgb, BitDepth::Eight, &quarters(64, 48), &chunks);
    assert_bare(&[&file[..], SECRET].concat());

    let webp = files::webp(64, 48, image_webp::ColorType::Rgb8, &quarters(64, 48));
    let file = files::webp_of(&[
        (b"VP8X", &files::webp_features(0b1100, 64, 48)),
        (b"VP8L", &webp[20..]),
        (b"EXIF", &[&exif(1)[..], SECRET].concat()),
        (b"XMP ", SECRET),
    ]);
    assert_bare(&[&file[..], SECRET].concat());
}

#[test]
fn a_progressive_upload_comes_out_as_baseline() {
    let file = jpeg_with(640, 480, Jpeg::Rgb, &quarters(640, 480), |encoder| encoder.set_progressive(true));
    assert_bare(&with_segments(&file, &[(0xfe, SECRET)]));
}
