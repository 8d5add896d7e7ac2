//! Observations of the tests of a function, in files that a later test reads. The tests of the
//! functions are programs of their own, and no single program sees what all of them use.
//!
//! The files have the lines of all runs since the directory `observed` beside the test programs was
//! deleted.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

/// Appends lines about a function to the file of this subject.
pub(crate) fn append(subject: &str, function: &str, lines: &str) {
    let directory = directory(subject);
    fs::create_dir_all(&directory).expect("a directory");
    let mut file = OpenOptions::new().create(true).append(true).open(directory.join(function)).expect("a file");
    file.write_all(lines.as_bytes()).expect("written");
}

/// Returns the pairs of words that the lines about a function have.
pub(crate) fn pairs(subject: &str, function: &str) -> impl Iterator<Item = (String, String)> {
    let lines = fs::read_to_string(directory(subject).join(function)).unwrap_or_default();
    let pairs = lines.lines().filter_map(|line| line.split_once(' '));
    pairs.map(|(first, second)| (first.to_owned(), second.to_owned())).collect::<Vec<_>>().into_iter()
}

/// Returns the directory of the files of a subject, beside the directory of the test programs.
fn directory(subject: &str) -> PathBuf {
    let program = std::env::current_exe().expect("the test program");
    program.parent().and_then(|deps| deps.parent()).expect("a target directory").join("observed").join(subject)
}
