//! The directory that keeps the tables and the objects of a stack. One stack uses it at a time,
//! because two would each deliver every stream record and every event of an object.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
    match fs::read(file) {
        Ok(text) => serde_json::from_slice(&text).with_context(|| format!("cannot parse {}", file.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// Writes JSON to a file in one step: a killed stack leaves either the old or the new file. Two writes
/// must not overlap.
pub(crate) fn write(file: &Path, content: &impl Serialize) -> io::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, serde_json::to_vec(content)?)?;
    fs::rename(&new, file)
}
