//! Checks a table, and mends it: `audit --table quick-photos [--endpoint-url URL] [--repair]`.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use ops::audit;
use ops::audit::{Event, Finding, Options, Outcome, photos};
use ops::client;

const ABOUT: &str = "\
Checks a table of Quick Photos in any DynamoDB: every count against what it counts, every item for its owner, every pinned
image for its photo, and whether a deletion is not through.

Each finding is a line on stdout, the last line has the totals. Others may write meanwhile: what is suspected is looked
at twice more, two seconds apart, before it counts as found. --repair mends by conditional writes and deletes what has no
owner; a deletion is touched, so that finish-deletion goes on with it. What has no known shape is named and left alone.

The exit code is 0 if nothing was found, 1 if something was, repaired or not, and 2 if the table could not be read or
written.

Region and credentials come from the environment or from ~/.aws, on AWS also from the container or instance. An endpoint
on this machine needs neither.";

#[derive(Parser)]
#[command(name = "audit", version, about = ABOUT)]
struct Arguments {
    #[arg(long, help = "The table to check")]
    table: String,
    #[arg(long, value_name = "URL", help = "A DynamoDB other than that of AWS, such as http://127.0.0.1:8000")]
    endpoint_url: Option<String>,
    #[arg(long, help = "Mend what is found")]
    repair: bool,
    #[arg(
        long,
        value_name = "N",
        default_value_t = Options::default().segments,
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help = "In how many segments to read the table at once"
    )]
    segments: u16,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match audit(&arguments).await {
        Ok(report) => {
            println!("{report}");
            if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(error) => {
            eprintln!("audit: {error}");
            ExitCode::from(2)
        }
    }
}

async fn audit(arguments: &Arguments) -> Result<audit::Report, Box<dyn std::error::Error + Send + Sync>> {
    let Arguments { table, endpoint_url, repair, segments } = arguments;
    let client = client::connect(endpoint_url.as_deref()).await?;
    let bar = progress();
    let options = Options { repair: *repair, segments: *segments, ..Options::default() };
    let report = audit::run(&client, table, options, |event| match event {
        Event::Scanned { items } => bar.set_message(format!("{items} items read")),
        Event::Suspects(number) => bar.set_message(format!("{number} to look at")),
        Event::Found(finding, outcome) => bar.suspend(|| println!("{finding}{}", told(finding, outcome))),
    })
    .await;
    bar.finish_and_clear();
    Ok(report?)
}

fn told(finding: &Finding, outcome: Outcome) -> &'static str {
    match (finding, outcome) {
        (_, Outcome::Reported) => "",
        (Finding::Photos(photos::Finding::Deletion(_)), Outcome::Repaired) => {
            " (repaired: touched, so that finish-deletion goes on)"
        }
        (_, Outcome::Repaired) => " (repaired)",
        (_, Outcome::Left) => " (left)",
    }
}

fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
    let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
