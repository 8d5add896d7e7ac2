//! The segments of a JPEG, as far as the decoder does not tell of them.

use crate::rejection::Rejection;

/// The maximum number of scans. A progressive JPEG has about ten. Each scan may visit every block of the picture and
/// take only a few bytes to say so, so that without a limit a file of 20 MB decodes for half an hour.
const MAX_SCANS: usize = 100;

const START_OF_SCAN: u8 = 0xda;
const END_OF_IMAGE: u8 = 0xd9;
const APP14: u8 = 0xee;

/// What the segments of a JPEG say.
#[derive(Default)]
pub(super) struct Segments {
    scans: usize,
    /// The file says that a program follows Adobe's conventions.
    pub(super) is_adobe: bool,
}

impl Segments {
    /// Goes through the segments. What is malformed ends the walk; decoding rejects it.
    pub(super) fn of(file: &[u8]) -> Self {
        let mut segments = Self::default();
        let mut rest = file;
        while let Some((marker, after)) = next_marker(rest) {
            rest = after;
            match marker {
                END_OF_IMAGE => break,
                // These have no content: TEM, the restarts and the start of the image.
                0x01 | 0xd0..=0xd8 => continue,
                START_OF_SCAN => segments.scans += 1,
                _ => {}
            }
            let Some(&[high, low]) = rest.first_chunk() else { break };
            let Some((content, after)) = rest.split_at_checked(usize::from(u16::from_be_bytes([high, low]))) else {
                break;
            };
            segments.is_adobe |= marker == APP14 && content.get(2..).is_some_and(|text| text.starts_with(b"Adobe"));
            rest = after;
        }
        segments
    }

    pub(super) fn check_scans(&self) -> Result<(), Rejection> {
        if self.scans > MAX_SCANS { Err(Rejection::UnsupportedVariant) } else { Ok(()) }
    }
}

/// Returns the code of the next marker and what follows it. In the data of a scan, 255 is followed by 0 where it is no
/// marker.
fn next_marker(mut bytes: &[u8]) -> Option<(u8, &[u8])> {
    loop {
        let at = bytes.iter().position(|&byte| byte == 0xff)?;
        bytes = &bytes[at + 1..];
        match bytes.first()? {
            0 | 0xff => {}
            &code => return Some((code, &bytes[1..])),
        }
    }
}
