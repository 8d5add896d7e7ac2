//! `cargo run --release --bin measure`: what each function costs, what the stack bears, and what growth does to both.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use local::lambda::build;
use local::template::Template;

mod bare;
mod chart;
mod each;
mod figures;
mod growth;
mod peers;
mod quota;
mod report;
mod run;
mod throughput;
mod tls;

/// Measures the functions, each by itself, on the sample data. Prints a table, and writes it and a chart to a folder.
#[derive(Parser)]
#[command(name = "measure", version)]
struct Arguments {
    /// The functions to measure; all, if none is named
    #[arg(value_name = "FUNCTION")]
    functions: Vec<String>,
    /// The folder that takes tables and charts
    #[arg(long, value_name = "DIR", default_value = "target/measure")]
    out: PathBuf,
    /// How often each is started from cold
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// How often each is asked while it is warm
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    requests: u32,
    /// Sizes of memory, in MB, whose share of CPU the functions get; a whole CPU, if none is named
    #[arg(long, value_name = "MB", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(128..=10240))]
    memory: Vec<u64>,
    /// Measures the same patterns in Python and Node beside them, as far as they are installed
    #[arg(long)]
    peers: bool,
    /// Another build of the same functions, to be measured beside them
    #[arg(long, value_name = "DIR")]
    beside: Vec<PathBuf>,
    /// Drives mixed traffic through the whole stack instead
    #[arg(long, conflicts_with_all = ["functions", "runs", "requests", "memory", "peers", "beside"])]
    load: bool,
    /// Measures every pattern on tables that grow instead
    #[arg(long, conflicts_with_all = ["functions", "runs", "memory", "peers", "beside", "load"])]
    growth: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let template = Template::find()?;
    let root = template.parent().ok_or("template.yaml lies nowhere")?;
    std::fs::create_dir_all(&arguments.out).map_err(|error| format!("{}: {error}", arguments.out.display()))?;
    if arguments.load {
        return throughput::run(&build::deployed(root, &[]).await?, &arguments.out).await;
    }
    if arguments.growth {
        return growth::run(&build::deployed(root, &[]).await?, &arguments.out).await;
    }
    each::run(root, &arguments).await
}
