//! Writes docs/openapi.json: `cargo run --bin openapi`.

use anyhow::{Context as _, Result};
use local::template::Template;

fn main() -> Result<()> {
    let template = Template::find()?;
    let path = template.with_file_name("docs").join("openapi.json");
    std::fs::write(&path, openapi::text()?).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{} is what template.yaml and the functions say now.", path.display());
    Ok(())
}
