//! The CSV files of measurements, whose columns are the fields of a type.

use std::collections::BTreeMap;
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

/// Puts rows into a file in the order of their keys, in place of older rows with the same keys.
pub fn merge<R: DeserializeOwned + Serialize, K: Ord>(
    file: &Path,
    new: impl IntoIterator<Item = R>,
    key: impl Fn(&R) -> K,
) -> Result<()> {
    let rows: BTreeMap<K, R> = read(file)?.into_iter().chain(new).map(|row| (key(&row), row)).collect();
    write(file, rows.values())
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

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Row {
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

    #[test]
    fn a_new_row_replaces_the_old_one_with_the_same_key() {
        let file = NamedTempFile::new().unwrap();
        let is_even = |row: &Row| row.a.is_multiple_of(2);
        merge(file.path(), [Row { a: 2 }, Row { a: 1 }], is_even).unwrap();
        merge(file.path(), [Row { a: 4 }], is_even).unwrap();
        assert_eq!(read::<Row>(file.path()).unwrap(), [Row { a: 1 }, Row { a: 4 }]);
    }
}
