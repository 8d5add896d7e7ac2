//! A writer of zip archives whose parts are written by different processes, by [APPNOTE
//! 6.3](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). No crate can continue an
//! archive that another process has begun.
//!
//! Files are stored without compression: pictures are compressed already, and the texts are a
//! hundredth of them. A file is added as a whole, so its header knows its size. What the central
//! directory says of the files of a part is kept beside the part, and the last part ends with all
//! of it. An archive with more than 65,535 files or 4 GiB has the records of Zip64.

use shared::values::Timestamp;

const LOCAL_HEADER: u32 = 0x0403_4b50;
const DIRECTORY_HEADER: u32 = 0x0201_4b50;
const END_OF_DIRECTORY: u32 = 0x0605_4b50;
const ZIP64_END_OF_DIRECTORY: u32 = 0x0606_4b50;
const ZIP64_LOCATOR: u32 = 0x0706_4b50;
/// The identifier of the extra field with a 64-bit offset.
const ZIP64_EXTRA: u16 = 1;
/// The versions of the format that an archive needs, without and with Zip64.
const VERSION: u16 = 20;
const ZIP64_VERSION: u16 = 45;
/// The flag for names in UTF-8.
const UTF8: u16 = 1 << 11;

/// A part of an archive.
#[derive(Debug)]
pub(crate) struct Part {
    /// The content.
    pub(crate) bytes: Vec<u8>,
    /// The entries of its files in the central directory.
    pub(crate) directory: Vec<u8>,
    /// The number of its files.
    pub(crate) files: u64,
    /// The offset of the part in the archive.
    offset: u64,
    /// The date and the time of all files, in the format of MS-DOS.
    modified: [u16; 2],
}

impl Part {
    /// Returns an empty part that begins at `offset`, whose files have the time `modified`.
    pub(crate) fn new(offset: u64, modified: &Timestamp) -> Self {
        Self { bytes: vec![], directory: vec![], files: 0, offset, modified: dos_time(modified) }
    }

    /// Returns the offset of its end.
    pub(crate) fn end(&self) -> u64 {
        self.offset + length(&self.bytes)
    }

    /// Adds a file. Its name consists of ASCII characters.
    pub(crate) fn add(&mut self, name: &str, content: &[u8]) {
        let offset = self.end();
        let size = u32::try_from(content.len()).expect("a file has less than 4 GiB, because it is in memory");
        let name_length = u16::try_from(name.len()).expect("a name is short");
        let [time, date] = self.modified;
        // What both headers have in common: from the flags to the size, and the length of the name.
        let mut common = vec![];
        u16s(&mut common, [UTF8, 0, time, date]);
        u32s(&mut common, [crc32fast::hash(content), size, size]);
        u16s(&mut common, [name_length]);

        u32s(&mut self.bytes, [LOCAL_HEADER]);
        u16s(&mut self.bytes, [VERSION]);
        self.bytes.extend_from_slice(&common);
        u16s(&mut self.bytes, [0]);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(content);

        let (short_offset, extra) = match u32::try_from(offset) {
            Ok(offset) if offset < u32::MAX => (offset, vec![]),
            _ => {
                let mut extra = vec![];
                u16s(&mut extra, [ZIP64_EXTRA, 8]);
                u64s(&mut extra, [offset]);
                (u32::MAX, extra)
            }
        };
        let version = if extra.is_empty() { VERSION } else { ZIP64_VERSION };
        u32s(&mut self.directory, [DIRECTORY_HEADER]);
        u16s(&mut self.directory, [ZIP64_VERSION, version]);
        self.directory.extend_from_slice(&common);
        u16s(&mut self.directory, [if extra.is_empty() { 0 } else { 12 }, 0, 0, 0]);
        u32s(&mut self.directory, [0, short_offset]);
        self.directory.extend_from_slice(name.as_bytes());
        self.directory.extend_from_slice(&extra);
        self.files += 1;
    }

    /// Ends the archive with its central directory: `before` is that of the parts before this one,
    /// with so many `files`.
    pub(crate) fn finish(&mut self, before: &[u8], files: u64) {
        let (begin, files) = (self.end(), self.files + files);
        self.bytes.extend_from_slice(before);
        self.bytes.append(&mut self.directory);
        let (end, size) = (self.end(), self.end() - begin);
        let short_files = u16::try_from(files).unwrap_or(u16::MAX);
        let [short_size, short_begin] = [size, begin].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        if short_files == u16::MAX || short_size == u32::MAX || short_begin == u32::MAX {
            u32s(&mut self.bytes, [ZIP64_END_OF_DIRECTORY]);
            // The size of the record after this field.
            u64s(&mut self.bytes, [44]);
            u16s(&mut self.bytes, [ZIP64_VERSION, ZIP64_VERSION]);
            u32s(&mut self.bytes, [0, 0]);
            u64s(&mut self.bytes, [files, files, size, begin]);
            u32s(&mut self.bytes, [ZIP64_LOCATOR, 0]);
            u64s(&mut self.bytes, [end]);
            u32s(&mut self.bytes, [1]);
        }
        u32s(&mut self.bytes, [END_OF_DIRECTORY]);
        u16s(&mut self.bytes, [0, 0, short_files, short_files]);
        u32s(&mut self.bytes, [short_size, short_begin]);
        u16s(&mut self.bytes, [0]);
    }
}

/// Returns the time and the date in the format of MS-DOS, which begins in 1980 and counts two
/// seconds at a time.
fn dos_time(time: &Timestamp) -> [u16; 2] {
    let number = |from: usize, to: usize| time.as_ref()[from..to].parse::<u16>().unwrap_or_default();
    let date = (number(0, 4).saturating_sub(1980) << 9) | (number(5, 7) << 5) | number(8, 10);
    [(number(11, 13) << 11) | (number(14, 16) << 5) | (number(17, 19) / 2), date]
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).expect("a part is in memory")
}

fn u16s<const N: usize>(to: &mut Vec<u8>, numbers: [u16; N]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn u32s<const N: usize>(to: &mut Vec<u8>, numbers: [u32; N]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

fn u64s<const N: usize>(to: &mut Vec<u8>, numbers: [u64; N]) {
    to.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
