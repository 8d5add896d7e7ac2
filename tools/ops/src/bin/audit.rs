//! Audits a table and repairs it: `audit --table quick-photos [--endpoint-url URL] [--repair]`.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use ops::audit;
use ops::audit::{Finding, Options, Others, PhotosFinding, Progress, Report, Resolution};
use ops::{client, progress};

const ABOUT: &str = "\
Audits a table of Quick Photos in AWS or in a local DynamoDB. The audit compares every count with the items that it counts,
checks that the items that every item refers to exist, checks index keys, search terms and tag name reservations, and reports unfinished deletions.
With --bucket, it compares the photos with the objects of their pictures, and with --feed-table, the home feeds with the
photos and the friendships.

The audit prints one line for each finding on stdout, and the totals on the last line. It can run while others write to
the table: it inspects each candidate twice, two seconds apart, and reports it only if both inspections agree. With
--repair, it corrects counts, index keys and feeds, adds missing terms and reservations, deletes orphaned items by conditional writes, deletes orphaned objects, and restarts unfinished deletions and uploads. It
reports malformed items, missing objects and tags with the same name, but does not change them.

The exit code is 0 without findings, 1 with findings, repaired or not, and 2 if the table could not be read or written.

The region and the credentials come from the environment or from ~/.aws, and on AWS also from the container or instance.
SSO and credential_process are not supported; `aws configure export-credentials --format env` exports such credentials to
the environment. An endpoint on this machine needs neither.";

#[derive(Parser)]
#[command(name = "audit", version, about = ABOUT)]
struct Arguments {
    #[arg(long, help = "The table to audit")]
    table: String,
    #[arg(
        long,
        value_name = "URL",
        help = "The endpoint of a DynamoDB other than that of AWS, such as http://127.0.0.1:8000"
    )]
    endpoint_url: Option<String>,
    #[arg(
        long,
        value_name = "NAME",
        help = "The bucket of the pictures, with which the photos are compared. Without it, they are not compared"
    )]
    bucket: Option<String>,
    #[arg(
        long,
        value_name = "URL",
        help = "The endpoint of an S3 other than that of AWS, such as http://127.0.0.1:9000"
    )]
    s3_endpoint_url: Option<String>,
    #[arg(
        long,
        value_name = "NAME",
        help = "The table of the home feeds, such as dev.Feed. Without it, they are not compared"
    )]
    feed_table: Option<String>,
    #[arg(long, help = "Repair the findings")]
    repair: bool,
    #[arg(
        long,
        value_name = "N",
        default_value_t = Options::default().segments,
        value_parser = clap::value_parser!(u16).range(1..=1024),
        help = "The number of segments in which to read the table concurrently"
    )]
    segments: u16,
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = Options::default().min_age.as_secs(),
        help = "The age from which a reaction or a friendship that is not counted yet is a finding, and a photo or a \
                friendship that is not in the feeds yet"
    )]
    min_age: u64,
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
            eprintln!("audit: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn audit(arguments: &Arguments) -> anyhow::Result<Report> {
    let Arguments { table, endpoint_url, bucket, s3_endpoint_url, feed_table, repair, segments, min_age } = arguments;
    let client = client::connect(endpoint_url.as_deref()).await?;
    let bucket = match bucket {
        Some(bucket) => Some(client::bucket(bucket, s3_endpoint_url.as_deref()).await?),
        None => None,
    };
    let bar = progress::spinner();
    let min_age = Duration::from_secs(*min_age);
    let options = Options { repair: *repair, segments: *segments, min_age, ..Options::default() };
    let others = Others { bucket: bucket.as_ref(), feed_table: feed_table.as_deref() };
    let report = audit::run_with(&client, table, others, options, |event| match event {
        Progress::Scanned { items } => bar.set_message(format!("{items} items read")),
        Progress::Listed { objects } => bar.set_message(format!("{objects} objects listed")),
        Progress::Inspecting(candidates) => bar.set_message(format!("{candidates} candidates to inspect")),
        Progress::Found(finding, resolution) => {
            bar.suspend(|| println!("{finding}{}", suffix(finding, resolution)));
        }
    })
    .await;
    bar.finish_and_clear();
    Ok(report?)
}

/// Returns the end of a finding's line, which tells how the finding was resolved.
fn suffix(finding: &Finding, resolution: Resolution) -> &'static str {
    match (finding, resolution) {
        (_, Resolution::Reported) => "",
        (Finding::Photos(PhotosFinding::Deletion(_)), Resolution::Repaired) => " (finish-deletion is restarted)",
        (Finding::Photos(PhotosFinding::Upload { .. }), Resolution::Repaired) => " (process-photo is restarted)",
        (_, Resolution::Repaired) => " (repaired)",
        (_, Resolution::NeedsManualRepair) => " (left for manual repair)",
    }
}
