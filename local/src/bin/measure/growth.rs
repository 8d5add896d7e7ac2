//! Every pattern on tables that grow.

use std::path::Path;

/// Measures all patterns at each size, and writes what it found.
pub(crate) async fn run(_binaries: &Path, _out: &Path) -> Result<(), String> {
    Err("--growth is not there yet".to_owned())
}
