//! Writes the generated parts of the documents: `cargo run --bin scale`.

use anyhow::{Context as _, Result};
use local::template::Template;
use testing::runner::Runner;

#[tokio::main]
async fn main() -> Result<()> {
    let path = Template::find()?;
    let root = path.parent().context("template.yaml has no parent directory")?;
    let recordings = scale::record(&Runner::new().await?).await?;
    for (document, text) in scale::documents(root, &recordings)? {
        let path = root.join(document);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{document} is what the recorded requests, the prices and the assumptions say now.");
    }
    Ok(())
}
