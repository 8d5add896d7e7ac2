//! Reads the lines of a file one at a time, in constant memory.

use std::io;
use std::path::Path;

use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use super::error::LineError;

/// The [byte order mark](https://www.unicode.org/faq/utf_bom.html#BOM) of UTF-8, with which some
/// editors begin a file. It is no part of the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The maximum length of a line: the size of the largest request that DynamoDB accepts, so no item
/// needs a longer one.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html>
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

pub(super) struct Lines {
    reader: BufReader<File>,
    line: Vec<u8>,
    /// The number of the last line that was read. The first line has the number 1.
    pub(super) number: u64,
    /// The number of bytes that have been read.
    pub(super) bytes: u64,
}

impl Lines {
    pub(super) async fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path).await?;
        if file.metadata().await?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { reader: BufReader::with_capacity(256 * 1024, file), line: Vec::new(), number: 0, bytes: 0 })
    }

    /// Returns the next line that is not empty, or the reason why it is not text. A byte order mark
    /// at its beginning is left out: a file that was put together of several has one inside.
    pub(super) async fn next(&mut self) -> io::Result<Option<Result<&str, LineError>>> {
        let mark = loop {
            self.line.clear();
            let mut read = (&mut self.reader).take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut self.line).await? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let too_long = read > MAX_LINE_BYTES && self.line.last() != Some(&b'\n');
            if too_long {
                read += self.skip_rest().await?;
            }
            self.bytes += read;
            if too_long {
                let reason = format!("the line has {read} bytes, the maximum is {MAX_LINE_BYTES} (16 MB)");
                return Ok(Some(Err(LineError::new(reason))));
            }
            let mark = if self.line.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
            if !self.line[mark..].trim_ascii().is_empty() {
                break mark;
            }
        };
        let text = str::from_utf8(&self.line[mark..]);
        Ok(Some(text.map_err(|error| LineError::new(format!("not UTF-8 at byte {}", mark + error.valid_up_to() + 1)))))
    }

    /// Skips the rest of a line that is too long, and returns the number of bytes skipped.
    async fn skip_rest(&mut self) -> io::Result<u64> {
        let mut skipped = 0;
        loop {
            let buffer = self.reader.fill_buf().await?;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            self.reader.consume(length);
            skipped += length as u64;
            if length == 0 || end.is_some() {
                return Ok(skipped);
            }
        }
    }
}
