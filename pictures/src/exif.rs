//! The orientation in EXIF metadata.

/// The tag of the orientation in the first directory.
const ORIENTATION: u16 = 0x0112;
/// The type of a value of two bytes.
const SHORT: u16 = 3;

/// The change by which the stored pixels become the picture that is shown. Where a picture has
/// none, it is shown as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orientation {
    /// The rows that are stored become columns.
    pub(crate) transposes: bool,
    /// The stored columns are taken from the right.
    pub(crate) mirrors_columns: bool,
    /// The stored rows are taken from the bottom.
    pub(crate) mirrors_rows: bool,
}

impl Orientation {
    /// Reads the orientation from EXIF metadata: a TIFF header, and the directory to which it
    /// points. Metadata without one or with an invalid one gives the default, as it does in
    /// browsers.
    pub(crate) fn from_exif(exif: &[u8]) -> Self {
        Self::numbered(number(exif.strip_prefix(b"Exif\0\0").unwrap_or(exif)).unwrap_or(1))
    }

    /// Returns the orientation with this number, which is 1 to 8 in TIFF 6.0 and in EXIF.
    fn numbered(number: u16) -> Self {
        let (transposes, mirrors_columns, mirrors_rows) = match number {
            2 => (false, true, false),
            3 => (false, true, true),
            4 => (false, false, true),
            5 => (true, false, false),
            6 => (true, false, true),
            7 => (true, true, true),
            8 => (true, true, false),
            _ => (false, false, false),
        };
        Self { transposes, mirrors_columns, mirrors_rows }
    }

    /// Returns the shown width and height of a picture that is stored with these, and the other way
    /// round.
    pub(crate) fn shown(self, (width, height): (u32, u32)) -> (u32, u32) {
        if self.transposes { (height, width) } else { (width, height) }
    }
}

fn number(tiff: &[u8]) -> Option<u16> {
    let big_endian = match tiff.get(..4)? {
        b"II*\0" => false,
        b"MM\0*" => true,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let offset = tiff.get(4..8)?.try_into().ok()?;
    let directory = if big_endian { u32::from_be_bytes(offset) } else { u32::from_le_bytes(offset) } as usize;
    // An entry has 12 bytes: tag, type, count and value.
    (0..usize::from(short(directory)?))
        .map(|entry| directory + 2 + entry * 12)
        .find(|&at| short(at) == Some(ORIENTATION) && short(at + 2) == Some(SHORT))
        .and_then(|at| short(at + 8))
}
