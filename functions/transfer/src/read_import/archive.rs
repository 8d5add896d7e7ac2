//! The file that a user has uploaded, as hostile input: a zip archive of the form that write-export
//! writes.
//!
//! Nothing is decompressed, because the files of an export are stored as they are, and no two files
//! have a byte in common. So what an archive can make is bounded by its size. The directory is checked
//! before anything is read by it. A file with JSON has at most the size of a page, and `photos.rs` takes
//! no pictures that are larger than an upload.

use std::cell::RefCell;
use std::collections::HashMap;

use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_s3::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_s3::operation::get_object::GetObjectError;
use aws_sdk_s3::operation::head_object::HeadObjectError;
use serde::Deserialize;
use shared::{Bucket, Error};

/// The maximum size of the central directory in bytes.
const MAX_DIRECTORY_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum size of a file with JSON in bytes: 8 MB. A page of 500 favorites of the largest size
/// has 6 MB.
const MAX_JSON_BYTES: u64 = 8 * 1024 * 1024;
/// The maximum length of the name of a file in bytes.
const MAX_NAME_BYTES: usize = 200;

/// The number of bytes of the records at the end: that of Zip64, its locator, and the last one.
const END_BYTES: u64 = 56 + 20 + 22;
const LOCAL_HEADER_BYTES: u64 = 30;

/// The files of an archive in the bucket.
pub(crate) struct Archive<'a> {
    bucket: &'a Bucket,
    key: &'a str,
    /// The `ETag` of the object. A file that replaces it has another one.
    pub(crate) etag: String,
    /// The files that nobody has taken.
    files: RefCell<HashMap<String, File>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct File {
    offset: u64,
    size: u64,
    crc: u32,
}

/// The reason why a file cannot be read.
pub(crate) enum Unreadable {
    /// The archive is not one of an export. The text is for the user.
    Invalid(&'static str),
    /// The object is gone.
    Gone,
    /// The user has uploaded another file, whose event reads that one.
    Replaced,
    Other(Error),
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl From<BuildError> for Unreadable {
    fn from(error: BuildError) -> Self {
        Self::Other(error.into())
    }
}

/// A picture that was taken from an archive.
pub(crate) enum Taken {
    Picture(Vec<u8>),
    /// Its content is not that of its checksum.
    Damaged,
    /// There is none of this name, or somebody has taken it before.
    None,
}

pub(crate) const NOT_AN_EXPORT: &str =
    "The file is not an export of this app. Upload the zip archive as you have downloaded it.";

impl<'a> Archive<'a> {
    /// Reads the central directory of the archive at `key`.
    pub(crate) async fn open(bucket: &'a Bucket, key: &'a str) -> Result<Self, Unreadable> {
        let head = bucket.client.head_object().bucket(&bucket.name).key(key).send().await;
        let (size, etag) = match head {
            Ok(output) => {
                let size = output.content_length.and_then(|length| length.try_into().ok());
                (size.unwrap_or_default(), output.e_tag.unwrap_or_default())
            }
            Err(SdkError::ServiceError(error)) if matches!(error.err(), HeadObjectError::NotFound(_)) => {
                return Err(Unreadable::Gone);
            }
            Err(error) => return Err(Error::from(error).into()),
        };
        let mut archive = Self { bucket, key, etag, files: RefCell::default() };
        let begin = u64::saturating_sub(size, END_BYTES);
        let end = archive.range(begin, size).await?;
        let (directory_begin, directory_end) =
            directory_range(&end, begin, size).ok_or(Unreadable::Invalid(NOT_AN_EXPORT))?;
        let directory = archive.range(directory_begin, directory_end).await?;
        let files = parse_directory(&directory, directory_begin).ok_or(Unreadable::Invalid(NOT_AN_EXPORT))?;
        archive.files = RefCell::new(files);
        Ok(archive)
    }

    /// Returns whether the archive has a file with this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.files.borrow().contains_key(name)
    }

    /// Returns the content of a file with JSON. It can be parsed without a tree of its values, which
    /// would take up to 90 times its size.
    pub(crate) async fn json(&self, name: &str) -> Result<Vec<u8>, Unreadable> {
        let file = self.files.borrow().get(name).copied().filter(|file| file.size <= MAX_JSON_BYTES);
        let content = match file {
            Some(file) => self.read(name, file).await?,
            None => None,
        };
        content.ok_or(Unreadable::Invalid(NO_JSON))
    }

    /// Returns the number of bytes that those of these files have that nobody has taken.
    pub(crate) fn bytes(&self, names: &[String]) -> u64 {
        let files = self.files.borrow();
        names.iter().filter_map(|name| files.get(name)).map(|file| file.size).sum()
    }

    /// Takes a picture, so that each is used once. The caller checks its [size](Self::bytes).
    pub(crate) async fn take(&self, name: &str) -> Result<Taken, Unreadable> {
        let taken = self.files.borrow_mut().remove(name);
        let Some(file) = taken else { return Ok(Taken::None) };
        Ok(self.read(name, file).await?.map_or(Taken::Damaged, Taken::Picture))
    }

    /// Returns the content of a file, or `None` if it is damaged.
    async fn read(&self, name: &str, file: File) -> Result<Option<Vec<u8>>, Unreadable> {
        let begin = file.offset;
        let name_bytes = u64::try_from(name.len()).unwrap_or_default();
        let mut bytes = self.range(begin, begin + LOCAL_HEADER_BYTES + name_bytes + file.size).await?;
        let header = usize::try_from(LOCAL_HEADER_BYTES).unwrap_or_default() + name.len();
        let is_header = u32_at(&bytes, 0) == Some(0x0403_4b50)
            && u16_at(&bytes, 26).map(usize::from) == Some(name.len())
            && u16_at(&bytes, 28) == Some(0)
            && bytes.get(header - name.len()..header) == Some(name.as_bytes());
        if !is_header || crc32fast::hash(&bytes[header..]) != file.crc {
            return Ok(None);
        }
        bytes.drain(..header);
        Ok(Some(bytes))
    }

    /// Returns the bytes from `begin` to `end`, which is not included.
    async fn range(&self, begin: u64, end: u64) -> Result<Vec<u8>, Unreadable> {
        if begin >= end {
            return Err(Unreadable::Invalid(NOT_AN_EXPORT));
        }
        let get = self.bucket.client.get_object().bucket(&self.bucket.name).key(self.key);
        match get.range(format!("bytes={begin}-{}", end - 1)).send().await {
            Ok(output) if output.e_tag.as_ref() != Some(&self.etag) => Err(Unreadable::Replaced),
            Ok(output) => {
                let body = output.body.collect().await.map_err(|error| Error::Busy(error.into()))?;
                Ok(body.to_vec())
            }
            Err(SdkError::ServiceError(error)) if matches!(error.err(), GetObjectError::NoSuchKey(_)) => {
                Err(Unreadable::Gone)
            }
            // The other file is shorter.
            Err(SdkError::ServiceError(error)) if error.err().code() == Some("InvalidRange") => {
                Err(Unreadable::Replaced)
            }
            Err(error) => Err(Error::from(error).into()),
        }
    }
}

const NO_JSON: &str = "A file of the archive is missing, damaged, too large or no JSON. Download the export again.";

/// Parses the content of a file with JSON.
pub(crate) fn parse<'a, T: Deserialize<'a>>(content: &'a [u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(content).map_err(|_| Unreadable::Invalid(NO_JSON))
}

/// Returns where the central directory begins and ends, from the last bytes of the archive, which
/// begin at `begin`.
fn directory_range(end: &[u8], begin: u64, size: u64) -> Option<(u64, u64)> {
    let last = end.len().checked_sub(22)?;
    if u32_at(end, last)? != 0x0605_4b50 || u16_at(end, last + 20)? != 0 {
        return None;
    }
    let (mut length, mut offset) = (u64::from(u32_at(end, last + 12)?), u64::from(u32_at(end, last + 16)?));
    let mut directory_end = size - 22;
    if let Some(zip64) = last.checked_sub(76).filter(|zip64| u32_at(end, *zip64) == Some(0x0606_4b50)) {
        (length, offset) = (u64_at(end, zip64 + 40)?, u64_at(end, zip64 + 48)?);
        directory_end = begin + u64::try_from(zip64).ok()?;
    }
    let is_inside = offset.checked_add(length)? == directory_end && length <= MAX_DIRECTORY_BYTES;
    is_inside.then_some((offset, directory_end))
}

/// Returns the files that a central directory names, which begins at `begin`, or `None` if it is
/// not one of an export, or if two of the files overlap.
fn parse_directory(bytes: &[u8], begin: u64) -> Option<HashMap<String, File>> {
    let (mut files, mut ranges) = (HashMap::new(), vec![]);
    let mut at = 0;
    while at < bytes.len() {
        let [name_length, extra_length, comment_length] =
            [28, 30, 32].map(|field| u16_at(bytes, at + field).map(usize::from));
        let (name_length, extra_length) = (name_length?, extra_length?);
        let (method, crc) = (u16_at(bytes, at + 10)?, u32_at(bytes, at + 16)?);
        let [compressed, size, offset] = [20, 24, 42].map(|field| u32_at(bytes, at + field).map(u64::from));
        let (compressed, size, mut offset) = (compressed?, size?, offset?);
        let name_end = (at + 46).checked_add(name_length)?;
        let name = std::str::from_utf8(bytes.get(at + 46..name_end)?).ok()?;
        if offset == u64::from(u32::MAX) {
            let is_offset = extra_length == 12 && u32_at(bytes, name_end)? == 0x0008_0001;
            offset = is_offset.then(|| u64_at(bytes, name_end + 4))??;
        }
        let end = offset.checked_add(LOCAL_HEADER_BYTES + u64::try_from(name_length).ok()?)?.checked_add(size)?;
        let is_valid = u32_at(bytes, at)? == 0x0201_4b50
            && (method, comment_length) == (0, Some(0))
            && compressed == size
            && name_length <= MAX_NAME_BYTES
            && end <= begin;
        if !is_valid || files.insert(name.to_owned(), File { offset, size, crc }).is_some() {
            return None;
        }
        ranges.push((offset, end));
        at = name_end.checked_add(extra_length)?;
    }
    ranges.sort_unstable();
    ranges.is_sorted_by(|one, next| one.1 <= next.0).then_some(files)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(8)?)?.try_into().ok().map(u64::from_le_bytes)
}
