//! Archives that need the records of Zip64, as Python reads them.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::process::Command;

use super::*;
use crate::write_export::zip::Part;

/// Reads an archive with `zipfile`, and prints the number of files, and the content of two of them.
const READ: &str = "import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
names = archive.namelist()
print(len(names), len(set(names)), archive.read('first.txt').decode(), archive.read(names[-1]).decode())
print(archive.getinfo(names[-1]).date_time)";

/// The archive is a sparse file, in which all but the two parts is a hole.
#[test]
fn python_reads_an_archive_of_many_files_and_gigabytes() {
    let Ok(python) = std::env::var("QUICK_PHOTOS_PYTHON") else { return };
    for (hole, files) in [(0, 3), (0, 70_000), (5 << 30, 3), (5 << 30, 70_000)] {
        let time: Timestamp = "2026-11-26T10:41:23.500Z".parse().unwrap();
        let mut first = Part::new(0, &time);
        first.add("first.txt", b"one");
        let mut last = Part::new(first.end() + hole, &time);
        for number in 0..files {
            last.add(&format!("pages/{number}.txt"), number.to_string().as_bytes());
        }
        last.finish(&first.directory, first.files);

        let path = std::env::temp_dir().join(format!("write-export-{}-{hole}-{files}.zip", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.write_all(&first.bytes).unwrap();
        file.seek(SeekFrom::Current(i64::try_from(hole).unwrap())).unwrap();
        file.write_all(&last.bytes).unwrap();
        drop(file);
        let output = Command::new(&python).args(["-c", READ]).arg(&path).output().unwrap();
        std::fs::remove_file(&path).unwrap();
        let (number, text) = (files + 1, String::from_utf8(output.stdout).unwrap());
        let expected = format!("{number} {number} one {}\n(2026, 11, 26, 10, 41, 22)\n", files - 1);
        assert_eq!(text, expected, "{}", String::from_utf8_lossy(&output.stderr));
    }
}
