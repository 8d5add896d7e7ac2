//! The log of the stack on stderr.

use std::io::{self, Write as _};

/// Writes one line to stderr. The lines of concurrent calls do not mix. Unlike `eprintln!`, it does
/// not panic if stderr is closed.
pub fn log(source: &str, line: &str) {
    let _ = io::stderr().write_all(format!("[{source}] {line}\n").as_bytes());
}
