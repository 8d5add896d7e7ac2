//! The CSV files of measurements, whose rows are tuples below a fixed header.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use csv::{Reader, WriterBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads the rows of a file. A file that does not exist has none.
pub(crate) fn read<R: DeserializeOwned>(file: &Path, header: &[&str]) -> Result<Vec<R>> {
    if !file.exists() {
        return Ok(vec![]);
    }
    let read = || {
        let mut reader = Reader::from_path(file)?;
        ensure!(reader.headers()? == header, "the first line is not {}", header.join(","));
        Ok(reader.deserialize().collect::<Result<_, _>>()?)
    };
    read().with_context(|| format!("cannot read {}", file.display()))
}

/// Writes a file.
pub(crate) fn write(file: &Path, header: &[&str], rows: impl Iterator<Item = impl Serialize>) -> Result<()> {
    let write = || {
        let mut writer = WriterBuilder::new().has_headers(false).from_path(file)?;
        writer.write_record(header)?;
        for row in rows {
            writer.serialize(row)?;
        }
        Ok::<_, csv::Error>(writer.flush()?)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

/// Returns a number with two decimals, as the files have them.
pub(crate) fn short(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use tempfile::NamedTempFile;

    use super::*;

    #[test]
    fn a_broken_line_or_header_is_an_error_that_says_where() {
        let file = NamedTempFile::new().unwrap();
        for (text, message) in [("a,b\n1,2\nx,3\n", "line: 3"), ("a,c\n", "the first line is not a,b")] {
            std::fs::write(file.path(), text).unwrap();
            let error = format!("{:#}", read::<(u32, u32)>(file.path(), &["a", "b"]).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
        assert!(read::<(u32, u32)>(Path::new("/no/such/file"), &["a", "b"]).unwrap().is_empty());
    }
}
