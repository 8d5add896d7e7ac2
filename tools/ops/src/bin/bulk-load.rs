//! Loads a file of items into a table: `bulk-load FILE --table quick-photos [--endpoint-url URL]`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Parser;
use ops::bulk_load::{self, STALL_TIMEOUT, Totals};
use ops::{client, progress_bar};
use terminal::println;

const ABOUT: &str = "\
Loads a file of items into a table in AWS or in a local DynamoDB.

FILE holds JSON Lines. Each line is one item, in plain JSON ({\"age\": 29}), in DynamoDB JSON
({\"age\": {\"N\": \"29\"}}), or as DynamoDB exports it ({\"Item\": {…}}). If several lines have the
same key, the last one wins. Lines that cannot be loaded are printed on stderr with their number and
the reason; the other lines are loaded.

The exit code is 0 if all lines were loaded, 1 if some were skipped, and 2 if the load ended early.";

#[derive(Parser)]
#[command(name = "bulk-load", version, about = ABOUT, after_help = client::CREDENTIALS)]
struct Arguments {
    /// The file of items, as JSON Lines.
    file: PathBuf,
    /// The table into which to load the items.
    #[arg(long)]
    table: String,
    /// The endpoint of a DynamoDB other than that of AWS, such as `http://127.0.0.1:8000`.
    #[arg(long, value_name = "URL")]
    endpoint_url: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match load(&Arguments::parse()).await {
        Ok(Totals { refused: 0, .. }) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => terminal::exit_code("bulk-load", Err(error)),
    }
}

async fn load(Arguments { file, table, endpoint_url }: &Arguments) -> Result<Totals> {
    let opened = File::open(file).with_context(|| file.display().to_string())?;
    let client = client::connect(endpoint_url.as_deref()).await?;
    let bar = progress_bar::bar(opened.metadata()?.len());
    let lines = BufReader::new(bar.wrap_read(opened));
    let begin = Instant::now();
    let refuse = |line, reason: &str| bar.suspend(|| eprintln!("{}:{line}: {reason}", file.display()));
    let totals = bulk_load::load(&client, table, STALL_TIMEOUT, lines, refuse).await;
    bar.finish_and_clear();
    let totals = totals?;
    println!("{} items loaded in {:.3} s", totals.loaded, begin.elapsed().as_secs_f64());
    if totals.refused > 0 {
        eprintln!("bulk-load: {} lines were skipped", totals.refused);
    }
    Ok(totals)
}
