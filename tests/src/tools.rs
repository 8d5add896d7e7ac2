//! The programs that `.ci/run` installs, and that other machines may not have.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path that an environment variable names, such as `QUICK_PHOTOS_PYTHON`. A test does nothing if there is none.
#[must_use]
pub fn tool(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    if path.is_none() {
        println!("{variable} is not set");
    }
    path
}

/// Runs a script of the folder `tests/` with this Python. Panics with what it wrote to standard error if it fails.
pub fn run_script(python: &Path, script: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new(python).arg(script).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
