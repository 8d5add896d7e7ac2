//! `cargo run --release --bin measure`: what each function costs, what the stack bears, and what growth does to both.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use local::build;
use local::template::Template;

mod load;

/// Measures the functions, each by itself, on the sample data. Prints a table, and writes it and a chart to a folder.
#[derive(Parser)]
#[command(name = "measure", version)]
struct Arguments {
    /// The functions to measure; all, if none is named
    functions: Vec<String>,
    /// The folder that takes the tables and charts
    #[arg(long, value_name = "DIR", default_value = "target/measure")]
    out: PathBuf,
    /// Drives mixed traffic through the whole stack instead
    #[arg(long, exclusive = true)]
    load: bool,
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
    let functions = build::deployed(root).await?;
    if arguments.load {
        return load::run(&functions, &arguments.out).await;
    }
    Ok(())
}
