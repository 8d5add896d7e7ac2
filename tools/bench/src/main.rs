//! The benchmarks of the project: `cargo run --release --bin measure`.
//!
//! Each benchmark is a module: [`functions`] measures every function by itself, [`throughput`] drives the whole local
//! stack, [`growth`] repeats every access pattern on tables of increasing size, [`crowd`] measures how long the
//! favorites of one user delay those of another one, and [`instructions`] guards the speed of the functions.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use local::template::Template;

mod cpu_quota;
mod crowd;
mod deployed;
mod functions;
mod growth;
mod instructions;
mod statistics;
mod subject;
mod throughput;

/// Measures the cold start, the warm latency, the CPU time, the memory and the size of each function on the sample
/// data. Prints a table, and writes the table and a chart to a directory.
#[derive(Parser)]
#[command(name = "measure", version)]
struct Arguments {
    #[command(flatten)]
    functions: functions::Options,
    /// The directory for the tables and charts; existing files are replaced
    #[arg(long, value_name = "DIR", default_value = "target/measure")]
    out: PathBuf,
    /// Measures the throughput of the whole local stack under mixed traffic instead of single functions
    #[arg(long, conflicts_with_all = ["functions", "runs", "requests", "memory", "peers", "beside"])]
    load: bool,
    /// Measures the functions on tables of 1,000, 100,000 and 1,000,000 items instead of the sample data
    #[arg(long, conflicts_with_all = ["runs", "memory", "peers", "beside", "load"])]
    growth: bool,
    /// Measures how long search does not find a new favorite while another user clips hundreds of them
    #[arg(long, conflicts_with_all = ["functions", "runs", "requests", "memory", "peers", "load", "growth"])]
    crowd: bool,
    /// Counts the instructions of six functions with Valgrind, and fails if one has more than the committed count
    #[arg(long, conflicts_with_all = ["functions", "runs", "requests", "memory", "peers", "beside", "load", "growth", "crowd"])]
    instructions: bool,
    /// Replaces the committed counts of instructions
    #[arg(long, requires = "instructions")]
    renew: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let path = Template::find()?;
    let template = Template::read(&path)?;
    let root = path.parent().context("template.yaml has no parent directory")?;
    let out = &arguments.out;
    fs::create_dir_all(out).with_context(|| format!("cannot create the directory {}", out.display()))?;
    if arguments.load {
        let binaries = deployed::build(root, &template.functions).await?;
        throughput::run(&template, root, &binaries, out).await
    } else if arguments.growth {
        let functions = functions::select(&template, &arguments.functions.functions)?;
        let binaries = deployed::build(root, &functions).await?;
        growth::run(&functions, &binaries, out).await
    } else if arguments.instructions {
        instructions::run(&template, root, arguments.renew).await
    } else if arguments.crowd {
        crowd::run(&template, root, &arguments.functions.beside, out).await
    } else {
        functions::run(&template, root, &arguments.functions, out).await
    }
}
