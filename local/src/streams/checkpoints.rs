//! The checkpoints of event source mappings: the position of each mapping in its stream.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Result;

use crate::data_dir;

/// The sequence number of the last record that each mapping has processed. With a data directory,
/// they are kept in a file: after the stack was killed, the next one continues from there, and
/// functions get some records again.
pub(super) struct Checkpoints {
    file: Option<PathBuf>,
    positions: Mutex<BTreeMap<String, String>>,
}

impl Checkpoints {
    /// Reads the checkpoints in a data directory. Without a directory there are none yet.
    pub(super) fn open(data_dir: Option<&Path>) -> Result<Self> {
        let file = data_dir.map(|directory| directory.join("streams.json"));
        let positions = file.as_deref().map(data_dir::read).transpose()?.unwrap_or_default();
        Ok(Self { file, positions: Mutex::new(positions) })
    }

    /// Returns the checkpoint of a mapping: empty at the beginning of a stream that had no records,
    /// `None` if there is none.
    pub(super) fn get(&self, mapping: &str) -> Option<String> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner).get(mapping).cloned()
    }

    /// Sets the checkpoint of a mapping. If the file cannot be written, functions get records again
    /// after the next start.
    pub(super) fn set(&self, mapping: &str, position: &str) {
        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        positions.insert(mapping.to_owned(), position.to_owned());
        let Some(file) = &self.file else { return };
        if let Err(error) = data_dir::write(file, &*positions) {
            terminal::log("streams", &format!("cannot write {}: {error}", file.display()));
        }
    }
}

/// The positions of the lanes of one mapping. Its checkpoint is the earliest of them: everything
/// before it is processed.
///
/// After the stack was killed, every lane continues from the checkpoint. So functions get some
/// records again that a faster lane had processed.
pub(super) struct Lanes {
    checkpoints: Arc<Checkpoints>,
    /// The name of the mapping's checkpoint.
    name: String,
    positions: Mutex<Vec<String>>,
}

impl Lanes {
    /// Returns the lanes of a mapping, all of which begin at its checkpoint `position`.
    pub(super) fn new(checkpoints: Arc<Checkpoints>, name: String, position: &str, lanes: usize) -> Self {
        Self { checkpoints, name, positions: Mutex::new(vec![position.to_owned(); lanes]) }
    }

    /// Sets the position of a lane, and moves the checkpoint if this lane was the last one.
    pub(super) fn set(&self, lane: usize, position: &str) {
        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        let before = positions.iter().min().cloned();
        position.clone_into(&mut positions[lane]);
        // Sequence numbers have one length, so their order is that of their texts.
        let earliest = positions.iter().min();
        if let Some(earliest) = earliest.filter(|earliest| Some(*earliest) != before.as_ref()) {
            self.checkpoints.set(&self.name, earliest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_checkpoint_of_a_mapping_is_its_earliest_lane() {
        let checkpoints = Arc::new(Checkpoints::open(None).unwrap());
        let lanes = Lanes::new(checkpoints.clone(), "a".to_owned(), "1", 2);
        lanes.set(0, "3");
        assert_eq!(checkpoints.get("a"), None);
        lanes.set(1, "2");
        assert_eq!(checkpoints.get("a").as_deref(), Some("2"));
        lanes.set(1, "4");
        assert_eq!(checkpoints.get("a").as_deref(), Some("3"));
    }

    #[test]
    fn checkpoints_are_kept_in_the_data_directory() {
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
    fn an_error_names_the_file() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("streams.json"), "{").unwrap();
        let error = format!("{:#}", Checkpoints::open(Some(directory.path())).err().unwrap());
        assert!(error.contains("streams.json: EOF"), "{error}");
    }
}
