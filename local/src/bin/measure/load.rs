//! `measure --load`: mixed traffic of all routes through the whole stack, at rising concurrency.

use std::path::Path;

pub(crate) async fn run(functions: &Path, out: &Path) -> Result<(), String> {
    let _ = (functions, out);
    Ok(())
}
