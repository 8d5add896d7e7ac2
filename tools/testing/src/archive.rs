//! Zip archives as another program reads and writes them.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Returns an archive with these files, each with its name and content, stored as they are.
#[must_use]
pub fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(vec![]));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in files {
        archive.start_file(*name, stored).expect("another name");
        archive.write_all(content).expect("a file in memory");
    }
    archive.finish().expect("a whole archive").into_inner()
}

/// Returns the files of an archive by their names. Fails if a file is damaged.
#[must_use]
pub fn unzip(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).expect("an archive");
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file of the directory");
        let name = file.name().to_owned();
        let mut content = vec![];
        file.read_to_end(&mut content).expect("a file that is not damaged");
        files.insert(name, content);
    }
    files
}
