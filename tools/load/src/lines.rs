//! A file's lines, one at a time, in constant memory.

use std::io;
use std::path::Path;

use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

/// No item needs a longer line: what DynamoDB takes in one request.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html>
const MAX_LINE: u64 = 16 * 1024 * 1024;

pub(super) struct Lines {
    reader: BufReader<File>,
    line: Vec<u8>,
    /// Lines read so far, which is the number of the last one.
    pub(super) number: u64,
    /// Bytes read so far.
    pub(super) bytes: u64,
}

impl Lines {
    pub(super) async fn of(path: &Path) -> io::Result<Self> {
        let file = File::open(path).await?;
        if file.metadata().await?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { reader: BufReader::with_capacity(256 * 1024, file), line: Vec::new(), number: 0, bytes: 0 })
    }

    /// The next line that is not empty, or why it can't be read as text.
    pub(super) async fn next(&mut self) -> io::Result<Option<Result<&str, String>>> {
        loop {
            self.line.clear();
            let mut read = (&mut self.reader).take(MAX_LINE + 1).read_until(b'\n', &mut self.line).await? as u64;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let too_long = read > MAX_LINE && self.line.last() != Some(&b'\n');
            if too_long {
                read += self.skip_rest().await?;
            }
            self.bytes += read;
            if too_long {
                return Ok(Some(Err(format!("the line has {read} bytes, {MAX_LINE} (16 MB) are possible"))));
            }
            if !self.line.trim_ascii().is_empty() {
                break;
            }
        }
        Ok(Some(str::from_utf8(&self.line).map_err(|error| format!("not UTF-8 at byte {}", error.valid_up_to() + 1))))
    }

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
