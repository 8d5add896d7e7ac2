//! Writes docs/openapi.json: `cargo run --bin openapi`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use local::template::Template;
use terminal::println;

/// Writes docs/openapi.json, which describes the HTTP API for programs, from template.yaml and the
/// sources of the functions.
#[derive(Parser)]
#[command(name = "openapi", version, verbatim_doc_comment)]
struct Arguments {}

fn main() -> ExitCode {
    let Arguments {} = Arguments::parse();
    terminal::exit_code("openapi", run())
}

fn run() -> Result<()> {
    let template = Template::find()?;
    let path = template.with_file_name("docs").join("openapi.json");
    std::fs::write(&path, openapi::text()?).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{} is what template.yaml and the functions say now.", path.display());
    Ok(())
}
