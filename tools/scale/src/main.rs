//! Writes the generated parts of the documents: `cargo run --bin scale`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use local::template::Template;
use terminal::println;
use testing::runner::Runner;

/// Runs every function with its sample event, computes requests, units, prices and limits from
/// that, and writes them into the generated parts of the documents.
#[derive(Parser)]
#[command(name = "scale", version, verbatim_doc_comment)]
struct Arguments {}

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments {} = Arguments::parse();
    terminal::exit_code("scale", run().await)
}

async fn run() -> Result<()> {
    let path = Template::find()?;
    let root = path.parent().context("template.yaml has no parent directory")?;
    let recordings = scale::record(&Runner::new().await?).await?;
    for (document, text) in scale::documents(root, &recordings)? {
        let path = root.join(&document);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{document} is what the recorded requests, the prices and the assumptions say now.");
    }
    Ok(())
}
