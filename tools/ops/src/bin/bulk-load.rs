//! Loads a file of items into a table of any DynamoDB: `bulk-load FILE --table quick-photos [--endpoint-url URL]`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use ::load;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use load::Event;
use ops::client;

const ABOUT: &str = "\
Loads a file of items into a table of any DynamoDB.

FILE holds JSON Lines: each line is an item, in plain JSON ({\"age\": 29}) or in DynamoDB JSON ({\"age\": {\"N\": \"29\"}}, also
as DynamoDB exports it, {\"Item\": {…}}). Of lines with the same key the last one wins. A line that can't be loaded is
named on stderr with its number and the reason, the others are loaded, and the exit code is 1.

Region and credentials come from the environment or from ~/.aws, on AWS also from the container or instance (not by SSO
or credential_process: `aws configure export-credentials --format env` helps). An endpoint on this machine needs neither.";

#[derive(Parser)]
#[command(name = "bulk-load", version, about = ABOUT)]
struct Arguments {
    #[arg(help = "Items as JSON Lines")]
    file: PathBuf,
    #[arg(long, help = "The table they go to")]
    table: String,
    #[arg(long, value_name = "URL", help = "A DynamoDB other than that of AWS, such as http://127.0.0.1:8000")]
    endpoint_url: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match load(&arguments).await {
        Ok(report) if report.bad == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bulk-load: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn load(arguments: &Arguments) -> Result<load::Report, Box<dyn std::error::Error + Send + Sync>> {
    let Arguments { file, table, endpoint_url } = arguments;
    let client = client::connect(endpoint_url.as_deref()).await?;
    let bar = progress_bar(file);
    let begin = Instant::now();
    let report = load::file(&client, table, file, |event| match event {
        Event::Progress { bytes, loaded } => {
            bar.set_position(bytes);
            bar.set_message(format!("{loaded} items"));
        }
        Event::BadLine { line, reason } => bar.suspend(|| eprintln!("{}:{line}: {reason}", file.display())),
    })
    .await;
    bar.finish_and_clear();
    let report = report?;
    println!("{} items loaded in {:.3} s", report.loaded, begin.elapsed().as_secs_f64());
    if report.bad > 0 {
        eprintln!("bulk-load: {} bad lines were left out", report.bad);
    }
    Ok(report)
}

fn progress_bar(file: &Path) -> ProgressBar {
    let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent}% {msg} {eta}");
    ProgressBar::new(size).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
