//! The benchmarks of the functions: `cargo run --release --bin measure`.
//!
//! [`functions`] measures each function by itself, [`batches`] measures full batches of a stream,
//! and [`instructions`] guards the speed of six functions.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use local::template::Template;

mod batches;
mod cpu_quota;
mod deployed;
mod functions;
#[cfg(test)]
mod growth;
mod instructions;
mod statistics;
mod subject;

/// Measures the cold start, the warm latency, the CPU time, the memory and the size of each
/// function on the sample data. Prints a table, and adds the figures to a CSV file.
#[derive(Parser)]
#[command(name = "measure", version, verbatim_doc_comment)]
struct Arguments {
    #[command(flatten)]
    functions: functions::Options,
    /// The directory of the CSV files
    #[arg(long, value_name = "DIR", default_value = "target/measure")]
    out: PathBuf,
    /// Measures process-changes with full batches of the stream
    #[arg(long, conflicts_with_all = ["functions", "requests", "peers", "beside"])]
    batches: bool,
    /// Counts the instructions of six functions with Valgrind, and fails if one has more than the
    /// committed count
    #[arg(long, conflicts_with_all = ["batches", "functions", "runs", "requests", "memory", "peers", "beside"])]
    instructions: bool,
    /// Replaces the committed counts of instructions
    #[arg(long, requires = "instructions")]
    renew: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    terminal::exit_code("measure", run(Arguments::parse()).await)
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let path = Template::find()?;
    let template = Template::read(&path)?;
    let root = path.parent().context("template.yaml has no parent directory")?;
    let out = &arguments.out;
    fs::create_dir_all(out).with_context(|| format!("cannot create the directory {}", out.display()))?;
    if arguments.batches {
        let functions::Options { runs, memory, .. } = &arguments.functions;
        batches::run(&template, root, *runs, memory, out).await
    } else if arguments.instructions {
        instructions::run(&template, root, arguments.renew).await
    } else {
        functions::run(&template, root, &arguments.functions, out).await
    }
}
