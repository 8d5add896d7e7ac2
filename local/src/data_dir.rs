//! The directory that keeps the tables and the objects of a stack. One stack uses it at a time,
//! because two would each deliver every stream record and every event of an object.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The file that names the tables that a stack has begun to create, one in each line. It is there until all data is
/// in the tables and the buckets.
const UNFINISHED: &str = "unfinished";
/// The names of the files and the folder that belong to the tables of a data directory.
const BESIDE_TABLES: [&str; 3] = ["s3", "streams.json", "messages.json"];

/// Returns the tables that a stack has begun to create, and that may lack data, because it was interrupted.
pub(crate) fn unfinished(directory: &Path) -> Result<Vec<String>> {
    let path = directory.join(UNFINISHED);
    let names = unless_missing(fs::read_to_string(&path)).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(names.unwrap_or_default().lines().map(str::to_owned).collect())
}

/// Notes that a stack begins to create these tables.
pub(crate) fn begin(directory: &Path, tables: &[&str]) -> Result<()> {
    let path = directory.join(UNFINISHED);
    fs::write(&path, tables.join("\n")).with_context(|| format!("cannot write {}", path.display()))
}

/// Notes that all data is there.
pub(crate) fn finish(directory: &Path) -> Result<()> {
    let path = directory.join(UNFINISHED);
    unless_missing(fs::remove_file(&path)).with_context(|| format!("cannot delete {}", path.display()))?;
    Ok(())
}

/// Deletes what belongs to tables that are gone.
pub(crate) fn delete_beside_tables(directory: &Path) -> Result<()> {
    for name in BESIDE_TABLES {
        let path = directory.join(name);
        let deleted = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        unless_missing(deleted).with_context(|| format!("cannot delete {}", path.display()))?;
    }
    Ok(())
}

/// Returns `None` if there is no such file.
fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// The lock of a data directory. It is released when it is dropped, and when the process ends in
/// any way.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that another thread is about to start has a copy of the file until it runs its
        // program. Closing the file would leave the lock with that copy.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Creates the directory if it does not exist, and locks it.
    pub(crate) fn acquire(directory: &Path) -> Result<Self> {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
        let path = directory.join("lock");
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => bail!(
                "another stack uses the data directory {}; stop it, or choose another directory with --data-dir DIR",
                directory.display()
            ),
            Err(TryLockError::Error(error)) => Err(anyhow!(error).context(format!("cannot lock {}", path.display()))),
        }
    }
}

/// Reads the JSON of a file, which may not exist yet.
pub(crate) fn read<T: DeserializeOwned + Default>(file: &Path) -> Result<T> {
    let text = unless_missing(fs::read(file)).with_context(|| format!("cannot read {}", file.display()))?;
    let Some(text) = text else { return Ok(T::default()) };
    serde_json::from_slice(&text).with_context(|| format!("cannot parse {}", file.display()))
}

/// Writes JSON to a file in one step: a killed stack leaves either the old or the new file. Two writes
/// must not overlap.
pub(crate) fn write(file: &Path, content: &impl Serialize) -> io::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, serde_json::to_vec(content)?)?;
    fs::rename(&new, file)
}
