//! The markers and segments between the scans of a JPEG.

pub(super) const END_OF_IMAGE: u8 = 0xd9;
pub(super) const START_OF_SCAN: u8 = 0xda;

/// A position in a file, before a marker.
pub(super) struct Markers<'a> {
    pub(super) file: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Markers<'a> {
    /// Returns the code of the next marker and skips what is before it, as libjpeg does: bytes that
    /// a program left there, and bytes of 255 that fill. Codes that no JPEG uses are skipped too.
    /// `None` means that the file has ended.
    pub(super) fn next(&mut self) -> Option<u8> {
        loop {
            let (code, after) = next_marker(self.file, self.at)?;
            self.at = after;
            match code {
                // TEM, the reserved codes, the restarts, and the start of the image: they have no
                // content.
                0x01..=0xbf | 0xd0..=0xd8 => {}
                _ => return Some(code),
            }
        }
    }

    /// Returns the content of the segment of the last marker, or `None` if the file ends before it
    /// does.
    pub(super) fn segment(&mut self) -> Option<&'a [u8]> {
        let rest = self.file.get(self.at..)?;
        let length = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
        let content = rest.get(2..length)?;
        self.at += length;
        Some(content)
    }
}

/// Returns the code of the first marker from this position on, and the position after it. In the
/// data of a scan, 255 is followed by 0 where it is no marker.
pub(super) fn next_marker(file: &[u8], at: usize) -> Option<(u8, usize)> {
    let mut at = at;
    loop {
        at += file.get(at..)?.iter().position(|&byte| byte == 0xff)? + 1;
        match *file.get(at)? {
            0 | 0xff => {}
            code => return Some((code, at + 1)),
        }
    }
}
