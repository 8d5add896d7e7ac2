//! How far each mapping is in its stream.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::net;

/// The last record of a stream that a function is done with, by mapping. Kept in a file beside the tables, if they are
/// kept: a stack that was killed goes on where it was, and functions see some records again.
pub(super) struct Checkpoints {
    file: Option<PathBuf>,
    positions: Mutex<BTreeMap<String, String>>,
}

impl Checkpoints {
    /// Those of a data directory, or none.
    pub(super) fn open(data_dir: Option<&Path>) -> Result<Self, String> {
        let file = data_dir.map(|directory| directory.join("streams.json"));
        let positions = match &file {
            None => BTreeMap::new(),
            Some(file) => match fs::read(file) {
                Ok(text) => serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?,
                Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
                Err(error) => return Err(format!("cannot read {}: {error}", file.display())),
            },
        };
        Ok(Self { file, positions: Mutex::new(positions) })
    }

    /// Where a mapping is. Empty if it is at the beginning of a stream that had no record yet.
    pub(super) fn get(&self, mapping: &str) -> Option<String> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner).get(mapping).cloned()
    }

    /// Notes where a mapping is. A file that can't be written costs repetitions at the next start, and nothing now.
    pub(super) fn set(&self, mapping: &str, position: &str) {
        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        positions.insert(mapping.to_owned(), position.to_owned());
        let Some(file) = &self.file else { return };
        // Whoever is killed in between leaves the file as it was.
        let new = file.with_extension("new");
        let written = serde_json::to_vec(&*positions).map_err(Into::into).and_then(|text| fs::write(&new, text));
        if let Err(error) = written.and_then(|()| fs::rename(&new, file)) {
            net::log("streams", &format!("cannot write {}: {error}", file.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept_with_the_tables() {
        let directory = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::open(Some(directory.path())).unwrap();
        assert_eq!(checkpoints.get("a"), None);
        checkpoints.set("a", "1");
        checkpoints.set("b", "");
        checkpoints.set("a", "2");
        let again = Checkpoints::open(Some(directory.path())).unwrap();
        assert_eq!((again.get("a").as_deref(), again.get("b").as_deref()), (Some("2"), Some("")));
        assert_eq!(Checkpoints::open(None).unwrap().get("a"), None);
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_named() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("streams.json"), "{").unwrap();
        let error = Checkpoints::open(Some(directory.path())).err().unwrap();
        assert!(error.contains("streams.json: EOF"), "{error}");
    }
}
