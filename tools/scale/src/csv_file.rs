//! The CSV files of measurements, whose columns are the fields of a type.

use std::path::Path;

use anyhow::{Context as _, Result};
use csv::{Reader, Writer};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads the rows of a file, which may have more columns than the type has fields. A file that does
/// not exist has no rows.
pub fn read<R: DeserializeOwned>(file: &Path) -> Result<Vec<R>> {
    if !file.exists() {
        return Ok(vec![]);
    }
    let read = || Reader::from_path(file)?.deserialize().collect::<csv::Result<_>>();
    read().with_context(|| format!("cannot read {}", file.display()))
}

/// Writes a file.
pub fn write(file: &Path, rows: impl IntoIterator<Item = impl Serialize>) -> Result<()> {
    let write = || {
        let mut writer = Writer::from_path(file)?;
        for row in rows {
            writer.serialize(row)?;
        }
        Ok::<_, csv::Error>(writer.flush()?)
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

/// Returns a number with two decimals, as the files have them.
#[must_use]
pub fn short(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use tempfile::NamedTempFile;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Row {
        #[expect(dead_code, reason = "reading is what the test is about")]
        a: u32,
    }

    #[test]
    fn a_broken_line_or_header_is_an_error_that_says_where() {
        let file = NamedTempFile::new().unwrap();
        for (text, message) in [("a,b\n1,2\nx,3\n", "line: 3"), ("b,c\n1,2\n", "missing field `a`")] {
            std::fs::write(file.path(), text).unwrap();
            let error = format!("{:#}", read::<Row>(file.path()).unwrap_err());
            assert!(error.contains(message), "{error}");
        }
        assert!(read::<Row>(Path::new("/no/such/file")).unwrap().is_empty());
    }
}
